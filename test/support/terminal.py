"""Runs a command on a pseudo-terminal of so many columns: COLUMNS COMMAND...; stdin is what is typed."""
import fcntl, os, pty, select, struct, sys, termios

child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
sources = [terminal, 0]
while terminal in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            read = os.read(source, 65536)
        except OSError:
            read = b""
        if not read:
            sources.remove(source)
        elif source == terminal:
            os.write(1, read)
        else:
            os.write(terminal, read)
ended = os.waitpid(child, 0)[1]
sys.exit(os.waitstatus_to_exitcode(ended))
