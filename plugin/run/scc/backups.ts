/** What an unbinding keeps of the objects that it changes, and the commands that put them back. */
import { type KubeObject, objectLabel } from "../../domain/objects";
import type { UnbindDeps } from "./deps";

interface Kept {
  readonly file: string;
  readonly verb: "create" | "replace";
}

/** One file for each object, as it was before the run's first write of it. */
export class Backups {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly deps: UnbindDeps) {}

  /** Keeps the object; what is changed first and deleted later is put back as it was at first. */
  async save(object: KubeObject, verb: Kept["verb"]): Promise<void> {
    const label = objectLabel(object);
    const file = this.#kept.get(label)?.file ?? (await this.deps.journal.save(object));
    this.#kept.set(label, { file, verb });
  }

  /** Puts the files and commands into the report. */
  report(): void {
    for (const [object, { file, verb }] of this.#kept) {
      const command = this.deps.command(["kubectl", verb, "-f", file]);
      this.deps.recorder.backup({ object, file, command });
    }
  }
}
