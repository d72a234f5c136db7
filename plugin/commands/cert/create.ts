/**
 * `cert create`: a new pair as the webhook's Secret (S27), or an earlier one put back. What is
 * replaced is saved first, inside the cluster: no private key ever reaches this machine's disk.
 */
import { requireYes } from "../../kernel/world";
import { secretObject } from "../../domain/certificate/certificate";
import {
  ApiError,
  EngineError,
  exitCodes,
  UnknownOutcomeError,
  UsageError,
} from "../../domain/base/errors";
import { certNeeds } from "./needs";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { certificateReport, secretRef } from "../../readers/certificate";
import { readLeftMarks } from "../../readers/left-marks";
import {
  type CertFacts,
  CertificateStop,
  type CertPlan,
  type CreateDeps,
  type CreateOptions,
  pairSecret,
  planCreation,
  requireAsked,
  sameContent,
} from "./plan";
import {
  type Change,
  type Delete,
  isDone,
  listPermissions,
  recreateObject,
} from "../../domain/kube/change";
import { describeDryRun } from "../../kernel/simple-part";
import { requireHome } from "../../kernel/journal";
import { requireNeeds, requirePermissions } from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import { requireGround } from "../../readers/ground";
import type { Report } from "../../kernel/report";

/** Makes or puts back the pair; expected ends of every kind come back as a report. */
export async function createCertificate(deps: CreateDeps, options: CreateOptions): Promise<Report> {
  try {
    return await new Creation(deps, options).run();
  } catch (error) {
    return deps.recorder.failure(error);
  }
}

class Creation {
  readonly #namespace: string;
  readonly #name: string;
  readonly #object: string;
  readonly #session: Session;

  constructor(
    private readonly deps: CreateDeps,
    private readonly options: CreateOptions,
  ) {
    this.#namespace = deps.cluster.namespace;
    this.#name = deps.names.webhook.secret;
    this.#object = secretObject({ namespace: this.#namespace, name: this.#name });
    this.#session = new Session(deps, options);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    const { recorder } = deps;
    if (options.fromSecret === this.#name) {
      throw new UsageError(`--from-secret ${this.#name}: that is the Secret to be written`, {
        hint: "name the Secret that holds the pair to put back",
      });
    }
    const { names } = deps;
    const needs = certNeeds({ ...options, names, namespace: this.#namespace });
    await requireNeeds(deps, "cert create", needs);
    await requireGround(deps, "cert", { namespace: this.#namespace });
    const plan = planCreation(deps, options, await this.#facts());
    const { wanted, findings, changes } = plan;
    await requirePermissions(deps, changes.filter(isDeletion).flatMap(listPermissions));
    recorder.addFindings(findings);
    const question = renderQuestion(plan);
    if (question !== undefined && options.dryRun === "none") {
      await requireYes(deps, `${this.#object} ${question}`);
    }
    for (const certificate of certificateReport(`${this.#namespace}/${this.#name}`, wanted)) {
      recorder.keep({ certificate });
    }
    if (changes.length === 0) return this.#unchanged();
    recorder.addFindings(await requireHome(deps, options.dryRun === "none"));
    if (options.dryRun !== "none") {
      await this.#rehearse(changes);
      return recorder.success(describeDryRun(changes.length));
    }
    await this.#write(plan);
    await this.#verify(changes);
    return recorder.report({
      code: exitCodes.ok,
      reason: `${this.#object} is ${plan.backup === undefined ? "created" : "replaced"}`,
      next: `restart or wait for the webhook that serves it, then put the new CA in force with: ${deps.engine(["upgrade-webhook"])}`,
    });
  }

  /** Reads what is there; a pair is made only where one is expected, for keys are dear. */
  async #facts(): Promise<CertFacts> {
    const { clock, certificates, names } = this.deps;
    const { fromSecret, years } = this.options;
    const namespace = this.#namespace;
    const now = clock.now();
    const existing = await this.#read(this.#name, "an existing pair is replaced only when asked");
    const left = await readLeftMarks(this.deps, existing === undefined ? [] : [existing]);
    if (fromSecret === undefined) {
      requireAsked(this.deps, this.options, existing);
      const pair = await certificates.generatePair({ namespace, names, now, years });
      return { now, existing, left, source: pairSecret(namespace, names, pair) };
    }
    const source = await this.#read(fromSecret, "it holds the pair to put in place");
    if (source !== undefined) return { now, existing, left, source };
    throw new UsageError(`there is no Secret ${fromSecret} in namespace ${namespace}`, {
      hint: "name a Secret of that namespace",
    });
  }

  async #read(name: string, why: string): Promise<KubeObject | undefined> {
    const { cluster, signal, recorder } = this.deps;
    const object = secretObject({ namespace: this.#namespace, name });
    return await recorder.step({ id: "cert.read", action: "read", object, why }, async () => ({
      result: "done",
      value: await cluster.get(secretRef(this.#namespace, name), { signal }),
    }));
  }

  async #rehearse(changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      // nothing was deleted: a dry run of the creation could only say that it exists
      if (change.urgent === true) this.#session.tellPlanned(change);
      else await this.#session.planWrite(change).catch((error: unknown) => refuse(error, change));
    }
  }

  async #write(plan: CertPlan): Promise<void> {
    const { changes, backup } = plan;
    const session = this.#session;
    session.noteConfirmed(changes);
    this.deps.recorder.backups(() =>
      backup === undefined || session.written === 0 ? [] : [backup],
    );
    for (const change of changes) {
      await session.send(change).catch((error: unknown) => this.#failed(plan, change, error));
    }
  }

  /** Once the deletion was sent, a failure leaves the Secret missing. */
  async #failed({ changes, backup }: CertPlan, change: Change, error: unknown): Promise<void> {
    const deletion = changes.find(isDeletion);
    const isSent = change === deletion || change.urgent === true;
    if (deletion === undefined || backup === undefined || !isSent) refuse(error, change);
    const { command: restore } = backup;
    if (error instanceof UnknownOutcomeError) {
      throw new CertificateStop(
        exitCodes.unavailable,
        `${this.#object} may be missing: ${error.message}`,
        `run the same command again when the API server answers, or put the former one back with: ${restore}`,
      );
    }
    if (change === deletion) refuse(error, change);
    await this.#putBack({ deletion, successor: change.object, restore }, error);
  }

  /** The deleted Secret again, as it was; throws what that has come to. */
  async #putBack(
    { deletion, successor, restore }: { deletion: Delete; successor: KubeObject; restore: string },
    error: unknown,
  ): Promise<void> {
    const { cluster } = this.deps;
    const why = "put back, because its successor was not accepted";
    const former = { ...recreateObject(deletion), id: "cert.write", why };
    const reason = readMessage(error);
    try {
      await this.#session.undo(former);
    } catch (cause) {
      const found = await cluster
        .get(secretRef(this.#namespace, this.#name))
        .catch(() => undefined);
      // the lost creation may have been carried out after the look for it
      if (found !== undefined && sameContent(found, successor)) return;
      throw new CertificateStop(
        exitCodes.rollbackIncomplete,
        `${this.#object} was deleted and not replaced (${reason}); putting it back failed: ${readMessage(cause)}`,
        `put it back with: ${restore}`,
      );
    }
    throw new CertificateStop(
      exitCodes.rolledBack,
      `${this.#object} could not be replaced and was put back: ${reason}`,
      "remove what refuses the new Secret, then run again",
    );
  }

  /** By the last write, which is the one of the pair. */
  async #verify(changes: readonly Change[]): Promise<void> {
    const found = await this.#read(this.#name, "to prove that the pair is in place").catch(
      (error: unknown) => this.#unread(error),
    );
    if (changes.slice(-1).every((change) => isDone(change, found))) return;
    throw new CertificateStop(
      exitCodes.conflict,
      `${this.#object} does not read back as written: someone else changed it right after`,
      "find out who writes it (its managed fields name them), then run again with --replace",
    );
  }

  /** The write was answered, so the Secret is there, whatever keeps it from being read. */
  #unread(error: unknown): never {
    if (!(error instanceof EngineError)) throw error;
    throw new CertificateStop(
      error.exitCode,
      `${this.#object} is written, but was not read back: ${error.message}`,
      `check whether it is in place with: ${this.deps.engine(["cert", "inspect"])}`,
    );
  }

  #unchanged(): Report {
    const { recorder } = this.deps;
    const why = "it holds this very pair already";
    recorder.addStep({ id: "cert.write", action: "apply", object: this.#object, why }, "unchanged");
    return recorder.success(`${this.#object} ${why.slice("it ".length)}`);
  }
}

/** What is asked before the first write; undefined where the command line has said all. */
function renderQuestion({ changes, managers = [] }: CertPlan): string | undefined {
  const written = `was written by ${managers.join(", ")}, which may write it again`;
  const how = "cannot be updated in place: delete it (a copy is kept) and recreate it?";
  if (changes.some(isDeletion)) return managers.length === 0 ? how : `${written}, and ${how}`;
  return managers.length === 0 ? undefined : `${written}: replace it (a copy is kept)?`;
}

function isDeletion(change: Change): change is Delete {
  return change.verb === "delete";
}

/** What the API server's refusal means here: only a creation needs the namespace alone. */
function refuse(error: unknown, change: Change): never {
  const object = objectLabel(change.object);
  if (!(error instanceof ApiError)) throw error;
  const isEnding = error.causes.some(({ reason }) => reason === "NamespaceTerminating");
  if (!isEnding && (change.verb !== "create" || error.status !== 404)) throw error;
  throw new CertificateStop(
    exitCodes.blocked,
    `${object} cannot be written: its namespace ${isEnding ? "is being deleted" : "does not exist"}`,
    "give the namespace of the webhook with -n, or create it first",
  );
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
