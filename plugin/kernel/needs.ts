/** What the commands of a run may need in all, declared as soon as it is known. */
import { type Needs, together } from "../domain/facts/needs";
import { narrowPermissions, type Permission } from "../domain/kube/permissions";

/** Kept for one run, with the commands that it consists of. */
export class DeclaredNeeds {
  readonly #ofCommands = new Map<string, Needs>();
  /** Commands whose needs were asked for. */
  readonly #looked = new Set<string>();
  #others: readonly Permission[] = [];

  /** Takes the place of what the command declared before, when less was known. */
  declare(command: string, needs: Needs): void {
    this.#ofCommands.set(command, needs);
  }

  /** What the others read in any case, each once: this one and they count as asked about from now on. */
  takeReadsAhead(of: string): readonly Permission[] {
    this.#looked.add(of);
    const others = [...this.#ofCommands].filter(([command]) => !this.#looked.has(command));
    for (const [command] of others) this.#looked.add(command);
    return narrowPermissions(others.flatMap(([, { reads }]) => reads));
  }

  /** What all of them take, those included that have not begun. */
  get declared(): Needs {
    return together([...this.#ofCommands.values()]);
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
    const { reads, may, beside } = this.declared;
    return narrowPermissions([...reads, ...may, ...beside, ...this.#others]);
  }
}
