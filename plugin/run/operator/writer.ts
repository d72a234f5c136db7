/** The writes of a bundle: saved, noted, bound to what was read, looked up where no answer came. */
import { exitCodes } from "../../domain/errors";
import { type KubeObject, objectLabel, preconditionsOf } from "../../domain/objects";
import { changesTo } from "../../domain/operator/differences";
import { bundleRef } from "../../domain/operator/kinds";
import { leftovers } from "../../domain/operator/leftovers";
import { adopted, fileEntries } from "../../domain/operator/managers";
import type { Act } from "../../domain/confirmed";
import { certain, ChangedError, noted, requireConfirmed } from "../outcome";
import { backupsOf, type Saved } from "../rbac/backups";
import { BlockedError } from "../recorder";
import type { BundleOptions, OperatorDeps } from "./deps";
import { attempts, type Evaluated, evaluate } from "./evaluate";
import { adoptInfo, applyInfo, type WriteInfo } from "./steps";

/** Writes the objects of a bundle. */
export class BundleWriter {
  readonly #saved = new Map<string, Saved>();
  /** Objects that a write of this run changed. */
  readonly #changed = new Set<string>();
  /** How many writes came into force. */
  written = 0;

  constructor(
    private readonly deps: OperatorDeps,
    private readonly options: BundleOptions,
  ) {}

  /** Brings one object to what was judged; what changed since is judged again. */
  async write(first: Evaluated, runs: string | undefined): Promise<void> {
    let step = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#write(step);
        return;
      } catch (error) {
        if (!(error instanceof ChangedError) || attempt >= attempts) throw error;
        this.deps.recorder.note(`${error.message}: reading and planning again`);
        step = await evaluate({ ...this.#tools(), runs }, step);
        const errors = step.findings.filter(({ severity }) => severity === "error");
        if (errors.length > 0) throw new BlockedError(step.exitCode, errors);
        requireConfirmed(actsOf(first), actsOf(step));
      }
    }
  }

  #tools() {
    return { deps: this.deps, options: this.options };
  }

  /** Keeps the object as it was before the run's first write of it. */
  async save(object: KubeObject): Promise<void> {
    const label = objectLabel(object);
    if (this.#changed.has(label)) return;
    const file = await this.deps.journal.save(object);
    this.#saved.set(label, { object: label, file, verb: "replace" });
  }

  /** The commands that put back what was changed, into the report. */
  report(): void {
    const { recorder, command } = this.deps;
    for (const backup of backupsOf([...this.#saved.values()], command)) recorder.backup(backup);
  }

  async #write(step: Evaluated): Promise<void> {
    const { deps } = this;
    if (step.is === "same" || step.is === "kept") return;
    const { live } = step;
    if (live !== undefined) await this.save(live);
    deps.signal.throwIfAborted();
    const adopts = live !== undefined && fileEntries(live, this.options.fieldManager).length > 0;
    const before = adopts ? await this.#adopt(step, live) : live;
    deps.signal.throwIfAborted();
    await this.#apply(step, before);
  }

  /** The fields of the file that a person applied become this tool's; no value changes. */
  async #adopt(step: Evaluated, live: KubeObject): Promise<KubeObject> {
    const { cluster } = this.deps;
    const { fieldManager } = this.options;
    const { resourceVersion } = live.metadata;
    const body = [
      { op: "replace", path: "/metadata/managedFields", value: adopted(live, fieldManager) },
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ];
    const ref = bundleRef(step.kind, step.object);
    return await this.#send(
      adoptInfo(step),
      () => cluster.patch(ref, body, { type: "json", fieldManager }),
      (stored) => fileEntries(stored, fieldManager).length === 0,
    );
  }

  async #apply(step: Evaluated, before: KubeObject | undefined): Promise<void> {
    const { cluster } = this.deps;
    const { fieldManager } = this.options;
    const { object, force, stored: expected } = step;
    const metadata = {
      ...object.metadata,
      ...(before !== undefined && preconditionsOf(before)),
    };
    await this.#send(
      applyInfo(step),
      () => cluster.apply({ ...object, metadata }, { fieldManager, force }),
      (stored) =>
        changesTo(stored, object, expected).length === 0 &&
        leftovers(stored, object, fieldManager).length === 0,
    );
  }

  async #send(
    write: WriteInfo,
    send: () => Promise<KubeObject>,
    isDone: (stored: KubeObject) => boolean,
  ): Promise<KubeObject> {
    const { cluster, recorder } = this.deps;
    const { ref, result, info } = write;
    const seen = async (): Promise<KubeObject | undefined> => {
      // an interrupt does not keep it from being seen
      const stored = await cluster.get(ref, { signal: new AbortController().signal });
      return stored !== undefined && isDone(stored) ? stored : undefined;
    };
    const label = info.object;
    return await recorder.step(info, async () => {
      const value = await noted(this.deps, info, () => certain({ send, seen, label }));
      this.written += 1;
      this.#changed.add(label);
      return { result, value };
    });
  }
}

/** What the write of an object does, for comparison with the one that was judged first. */
function actsOf({ object, is, changes, removed, force }: Evaluated): readonly Act[] {
  const does = {
    create: ["create it"],
    change: [
      ...changes.map(({ field }) => `change ${field}`),
      ...removed.map((field) => `remove ${field}`),
      ...(force ? ["take fields from their managers"] : []),
    ],
    same: [],
    kept: [],
  }[is];
  return does.map((one) => ({ object: objectLabel(object), does: one }));
}

/** The exit code of findings: a conflict before a refusal. */
export function exitCodeOf(steps: readonly Evaluated[]): Evaluated["exitCode"] {
  const conflict = steps.some(
    ({ findings, exitCode }) =>
      exitCode === exitCodes.conflict && findings.some(({ severity }) => severity === "error"),
  );
  return conflict ? exitCodes.conflict : exitCodes.blocked;
}
