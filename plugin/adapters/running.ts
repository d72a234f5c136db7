/** Programs that this process has started and that still run: a run that is given up names them. */
/** A program that was started and has not ended. */
export interface StillRunning {
  readonly name: string;
  readonly pid: number;
  /** The command that shows what became of its work. */
  readonly look?: string | undefined;
}

const running = new Set<StillRunning>();

export function listRunning(): readonly StillRunning[] {
  return [...running];
}

/** Counts it among them until the returned function is called. */
export function countRunning(program: StillRunning): () => void {
  running.add(program);
  return () => running.delete(program);
}
