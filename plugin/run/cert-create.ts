/**
 * `cert create`: a new pair as the webhook's Secret (S27), or an earlier one put back. What is
 * replaced is saved first, inside the cluster: no private key ever reaches this machine's disk.
 */
import { firstUnfit, judgeCertificate, secretObject } from "../domain/certificate";
import type { CertificateFacts } from "../domain/certificate-facts";
import { EngineError, exitCodes, UsageError } from "../domain/errors";
import type { KubeObject } from "../domain/objects";
import { ownerOf } from "../domain/owners";
import { createAccess, deleteAccess } from "./cert-access";
import {
  type CertDeps,
  certificateReport,
  CertificateStop,
  type RunIdentity,
  secretRef,
} from "./cert-parts";
import {
  isSavedCopy,
  needsDeletion,
  pairOf,
  pairSecret,
  restored,
  sameContent,
} from "./cert-secret";
import { type Replacement, SecretWriter } from "./cert-write";
import { type Ledger, requirePermissions } from "./ledger";
import type { Cluster } from "./ports";
import type { Journal } from "./record";
import { BlockedError, Recorder } from "./recorder";
import type { Report } from "./report";

export interface CreateDeps extends CertDeps {
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  readonly journal: Journal;
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
}

export interface CreateOptions {
  readonly run: RunIdentity;
  readonly fieldManager: string;
  readonly replace: boolean;
  readonly years: number;
  /** Take the pair from this Secret: a saved copy, which is put back whole, or one made by others. */
  readonly fromSecret?: string;
}

/** Makes or puts back the pair; expected ends of every kind come back as a report. */
export async function createCertificate(deps: CreateDeps, options: CreateOptions): Promise<Report> {
  const { cluster } = deps;
  const recorder = new Recorder(
    {
      kind: "CertCreate",
      run: options.run,
      target: { server: cluster.server, namespace: cluster.namespace },
    },
    deps,
  );
  try {
    return await new Creation(deps, options, recorder).run();
  } catch (error) {
    return recorder.failure(error);
  }
}

class Creation {
  readonly #namespace: string;
  readonly #name: string;
  readonly #object: string;
  readonly #ledger: Ledger;

  constructor(
    private readonly deps: CreateDeps,
    private readonly options: CreateOptions,
    private readonly recorder: Recorder,
  ) {
    this.#namespace = deps.cluster.namespace;
    this.#name = deps.names.webhook.secret;
    this.#object = secretObject({ namespace: this.#namespace, name: this.#name });
    this.#ledger = { cluster: deps.cluster, yaml: deps.yaml, recorder };
  }

  async run(): Promise<Report> {
    this.#refuseItself();
    await requirePermissions(this.#ledger, createAccess(this.deps, this.options));
    const existing = await this.#read(this.#name, "an existing pair is replaced only when asked");
    if (existing !== undefined && this.options.fromSecret === undefined) this.#refuseUnasked();
    const wanted = await this.#wanted();
    if (existing !== undefined && sameContent(existing, wanted)) {
      return this.#unchanged(existing);
    }
    const replacement = existing === undefined ? undefined : await this.#allowed(existing, wanted);
    const facts = this.#judged(wanted);
    this.recorder.findings(this.#findings(facts));
    for (const part of certificateReport(this.#label(), facts)) this.recorder.certificate(part);
    await this.#recordable();
    const writer = new SecretWriter(
      this.deps,
      { dryRun: this.options.run.dryRun, fieldManager: this.options.fieldManager },
      this.recorder,
    );
    await writer.write(wanted, replacement);
    if (this.options.run.dryRun === "none") await this.#verify(facts);
    return this.#success(replacement);
  }

  #refuseItself(): void {
    if (this.options.fromSecret === this.#name) {
      throw new UsageError(`--from-secret ${this.#name}: that is the Secret to be written`, {
        hint: "name the Secret that holds the pair to put back",
      });
    }
  }

  async #read(name: string, why: string): Promise<KubeObject | undefined> {
    const { cluster, signal } = this.deps;
    const object = secretObject({ namespace: this.#namespace, name });
    return this.recorder.step({ id: "cert.read", action: "read", object, why }, async () => ({
      result: "done",
      value: await cluster.get(secretRef(this.#namespace, name), { signal }),
    }));
  }

  /** The Secret as it shall be; a pair made by others has to be fit, a saved one is put back as it was. */
  async #wanted(): Promise<KubeObject> {
    const { certificates, clock, names } = this.deps;
    const { fromSecret, years } = this.options;
    const namespace = this.#namespace;
    if (fromSecret === undefined) {
      const now = clock.now();
      return pairSecret(
        namespace,
        names,
        await certificates.generatePair({ namespace, names, now, years }),
      );
    }
    const source = await this.#read(fromSecret, "it holds the pair to put in place");
    if (source === undefined) {
      throw new UsageError(`there is no Secret ${fromSecret} in namespace ${namespace}`, {
        hint: "name a Secret of that namespace",
      });
    }
    if (isSavedCopy(source, names)) return restored(source, names);
    const wanted = pairOf(source, names);
    const unfit = firstUnfit(this.#findings(this.#judged(wanted)));
    if (unfit === undefined) return wanted;
    const object = secretObject({ namespace, name: fromSecret });
    throw new BlockedError(exitCodes.blocked, [{ ...unfit, object }]);
  }

  #refuseUnasked(): void {
    if (this.options.replace) return;
    const { command } = this.deps;
    throw new CertificateStop(
      exitCodes.conflict,
      `${this.#object} exists already; nothing was written`,
      `judge it with: ${command(["cert", "inspect"])}; replace it (it is saved first) with: ${command(["cert", "create", "--replace"])}`,
    );
  }

  async #allowed(existing: KubeObject, wanted: KubeObject): Promise<Replacement> {
    this.#refuseUnasked();
    const owner = ownerOf(existing);
    if (owner !== undefined) {
      throw new CertificateStop(
        exitCodes.conflict,
        `${this.#object} is owned by ${owner.name}, which would undo or fight the change`,
        owner.name === "OLM" ? "let the operator that OLM installs keep its own pair" : owner.way,
      );
    }
    const deletes = needsDeletion(existing, wanted);
    if (deletes) await this.#allowDeletion();
    const copyName = copyNameOf(this.#name, this.options.run.id);
    const restore = this.deps.command(["cert", "create", "--replace", "--from-secret", copyName]);
    return { existing, deletes, copyName, restore };
  }

  /** The API server refuses another type and any change of an immutable Secret. */
  async #allowDeletion(): Promise<void> {
    await requirePermissions(this.#ledger, deleteAccess(this.deps));
    if (this.options.run.dryRun !== "none") return;
    const question = `${this.#object} cannot be updated in place: delete it (a copy is kept) and make it anew?`;
    if (await this.deps.ask(question)) return;
    throw new UsageError("not confirmed; nothing was written", {
      hint: "answer yes, or run again with --yes",
    });
  }

  /** Exit 2 before the first write, a warning where nothing is to be written. */
  async #recordable(): Promise<void> {
    const problem = await this.deps.journal.problem();
    if (problem === undefined) return;
    if (this.options.run.dryRun !== "none") {
      this.deps.event({ type: "warning", text: problem });
      return;
    }
    throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that you can write to" });
  }

  async #verify(written: CertificateFacts): Promise<void> {
    const found = await this.#read(this.#name, "to prove that the pair is in place").catch(
      (error: unknown) => this.#unseen(error),
    );
    const facts = found === undefined ? undefined : this.#judged(found);
    if (
      facts?.caBundle === written.caBundle &&
      facts.matchesPrivateKey === written.matchesPrivateKey
    )
      return;
    throw new CertificateStop(
      exitCodes.conflict,
      `${this.#object} does not read back as written: somebody else changed it right after`,
      "find out who writes it (its managed fields name them), then run again with --replace",
    );
  }

  /** The write was answered, so the Secret is there, whatever keeps it from being read. */
  #unseen(error: unknown): never {
    if (!(error instanceof EngineError)) throw error;
    throw new CertificateStop(
      error.exitCode,
      `${this.#object} is written, but was not read back: ${error.message}`,
      `see whether it is in place with: ${this.deps.command(["cert", "inspect"])}`,
    );
  }

  #unchanged(existing: KubeObject): Report {
    const facts = this.#judged(existing);
    for (const part of certificateReport(this.#label(), facts)) this.recorder.certificate(part);
    const why = "it holds this very pair already";
    this.recorder.done(
      { id: "cert.write", action: "apply", object: this.#object, why },
      "unchanged",
    );
    return this.recorder.success(`${this.#object} holds this very pair already`);
  }

  #success(replacement: Replacement | undefined): Report {
    const done = replacement === undefined ? "created" : "replaced";
    const planned = this.options.run.dryRun !== "none";
    return this.recorder.report({
      code: exitCodes.ok,
      reason: planned ? `${this.#object} would be ${done}` : `${this.#object} is ${done}`,
      ...(!planned && {
        next: `restart or wait for the webhook that serves it, then put the new CA in force with: ${this.deps.command(["upgrade-webhook"])}`,
      }),
    });
  }

  #judged(secret: KubeObject): CertificateFacts {
    return this.deps.certificates.readSecretCertificate(secret, this.deps.names);
  }

  #findings(facts: CertificateFacts) {
    const { clock, names } = this.deps;
    return judgeCertificate(facts, { namespace: this.#namespace, now: clock.now(), names });
  }

  #label(): string {
    return `${this.#namespace}/${this.#name}`;
  }
}

/** A name that the API server takes, whatever the run is called. */
function copyNameOf(secret: string, runId: string): string {
  return `${secret}-${runId.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`.replace(/-$/, "");
}
