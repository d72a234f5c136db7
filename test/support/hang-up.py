"""Runs a command on a terminal that is closed once a file is there: FILE COMMAND...; prints how it ended."""
import os, pty, sys, threading, time

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])


def read():
    # an output that nobody reads would hold the command up
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


threading.Thread(target=read, daemon=True).start()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
