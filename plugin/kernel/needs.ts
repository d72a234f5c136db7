/** What the commands of a run may need in all, declared as soon as it is known. */
import type { Needs } from "../domain/facts/needs";
import { narrowed, type Permission } from "../domain/kube/permissions";

/** Kept for one run, with the commands that it consists of. */
export class DeclaredNeeds {
  readonly #ofCommands = new Map<string, readonly Permission[]>();
  #others: readonly Permission[] = [];

  /** Takes the place of what the command declared before, when less was known. */
  declare(command: string, { reads, may, beside }: Needs): void {
    this.#ofCommands.set(command, [...reads, ...may, ...beside]);
  }

  /** What was found to be missing belongs to it too, foreseen or not. */
  add(missing: readonly Permission[]): void {
    this.#others = [...this.#others, ...missing];
  }

  /** The command that was typed: it declares before those that it includes. */
  get command(): string | undefined {
    const [first] = this.#ofCommands.keys();
    return first;
  }

  all(): readonly Permission[] {
    return narrowed([...[...this.#ofCommands.values()].flat(), ...this.#others]);
  }
}
