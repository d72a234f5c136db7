/** What `cert create` reads, and what it writes: pure over what was read. */
import { type CertificateFacts, firstUnfit, judgeCertificate } from "../domain/certificate";
import { EngineError, type ExitCode, exitCodes } from "../domain/errors";
import type { Finding } from "../domain/findings";
import { kinds } from "../domain/kinds";
import { type KubeObject, objectLabel } from "../domain/objects";
import { ownerOf } from "../domain/owners";
import type { Permission } from "../domain/permissions";
import { type Certificates, secretPermission } from "./cert-inspect";
import {
  firstOf,
  isSavedCopy,
  needsDeletion,
  pairOf,
  restored,
  sameContent,
  savedCopy,
  successorOf,
} from "./cert-secret";
import type { Apply, Change, Create, Delete } from "./engine/change";
import { BlockedError } from "./engine/recorder";
import type { Report } from "./report";
import type { AskingPorts } from "./run-ports";

/** Ports of `cert create`; its kubectl commands name their namespace themselves. */
export interface CreateDeps extends AskingPorts {
  readonly certificates: Certificates;
  /** A command line of this program. */
  readonly engine: (words: readonly string[]) => string;
}

export interface CreateOptions {
  readonly runId: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly replace: boolean;
  readonly years: number;
  /** Take the pair from this Secret: a saved copy, which is put back whole, or one made by others. */
  readonly fromSecret?: string;
}

/** The command stops here: nothing after this point was written. */
export class CertificateStop extends EngineError {
  readonly code = "CERTIFICATE";

  constructor(
    readonly exitCode: ExitCode,
    message: string,
    hint: string,
  ) {
    super(message, { hint });
  }
}

/** What was read, and made. */
export interface CertFacts {
  readonly now: number;
  readonly existing: KubeObject | undefined;
  /** The Secret that holds the pair to put in place, else the new pair as a Secret. */
  readonly source: KubeObject;
}

export interface CertPlan {
  readonly wanted: CertificateFacts;
  readonly findings: readonly Finding[];
  /** Empty where the Secret holds this very pair. */
  readonly changes: readonly Change[];
  /** The copy of what is replaced, which is written first. */
  readonly backup?: Backup;
}

type Backup = NonNullable<Report["backups"]>[number];

/** What it reads, and writes in any case. */
export function createPermissions(
  { cluster: { namespace }, names }: CreateDeps,
  { replace, fromSecret }: CreateOptions,
): readonly Permission[] {
  const on = (verb: string, why: string, name = names.webhook.secret): Permission => ({
    ...secretPermission(verb, why),
    namespace,
    name,
  });
  const save = replace ? "to save the pair that is replaced" : "to write the pair";
  return [
    on("get", "to see whether there is a pair, and to prove the new one"),
    { ...secretPermission("create", save), namespace },
    ...(replace ? [on("update", "to replace the pair")] : []),
    ...(fromSecret === undefined ? [] : [on("get", "to read the pair", fromSecret)]),
  ];
}

/** Throws where the pair is unfit (3), or the Secret is not to be replaced (5). */
export function planOf(
  deps: CreateDeps,
  options: CreateOptions,
  { now, existing, source }: CertFacts,
): CertPlan {
  const { names, certificates, cluster, engine } = deps;
  const { namespace } = cluster;
  const isCopy = isSavedCopy(source, names);
  const object = isCopy ? restored(source, names) : pairOf(source, names);
  const wanted = certificates.readSecretCertificate(object, names);
  const findings = judgeCertificate(wanted, { namespace, now, names });
  const unfit = isCopy ? undefined : firstUnfit(findings);
  if (unfit !== undefined && options.fromSecret !== undefined) {
    throw new BlockedError(exitCodes.blocked, [{ ...unfit, object: objectLabel(source) }]);
  }
  if (existing === undefined) {
    return { wanted, findings, changes: [creationOf(firstOf(object, names))] };
  }
  if (sameContent(existing, object)) return { wanted, findings: [], changes: [] };
  requireAsked(deps, options, existing);
  requireUnowned(existing);
  const copyName = copyNameOf(names.webhook.secret, options.runId);
  const copy = savedCopy(existing, copyName, names);
  const command = engine(["cert", "create", "--replace", "--from-secret", copyName]);
  const backup = { object: objectLabel(existing), file: objectLabel(copy), command };
  const changes = replacing(existing, object, { copy, command });
  return { wanted, findings, changes, backup };
}

/** Throws where there is a Secret and nobody has said to replace it. */
export function requireAsked(
  { engine }: CreateDeps,
  { replace }: CreateOptions,
  existing: KubeObject | undefined,
): void {
  if (existing === undefined || replace) return;
  throw new CertificateStop(
    exitCodes.conflict,
    `${objectLabel(existing)} exists already; nothing was written`,
    `judge it with: ${engine(["cert", "inspect"])}; replace it (it is saved first) with: ${engine(["cert", "create", "--replace"])}`,
  );
}

function requireUnowned(existing: KubeObject): void {
  const owner = ownerOf(existing);
  if (owner === undefined) return;
  throw new CertificateStop(
    exitCodes.conflict,
    `${objectLabel(existing)} is owned by ${owner.name}, which would undo or fight the change`,
    owner.name === "OLM" ? "let the operator that OLM installs keep its own pair" : owner.way,
  );
}

function creationOf(object: KubeObject): Create {
  return {
    ...{ verb: "create", id: "cert.write", resource: kinds.secret, object },
    why: "there is none yet (S27)",
    risk: "none by itself: a webhook that waits for its pair starts",
    reverse: `kubectl delete secret ${object.metadata.name ?? ""} -n ${object.metadata.namespace ?? ""}`,
    holds: (stored) => sameContent(stored, object),
  };
}

/** The copy first, then the Secret in its place, or after its deletion where it cannot be updated. */
function replacing(
  existing: KubeObject,
  wanted: KubeObject,
  { copy, command }: { readonly copy: KubeObject; readonly command: string },
): readonly Change[] {
  const object = successorOf(existing, wanted);
  const told = {
    ...{ resource: kinds.secret, reverse: `by the copy that is kept: ${command}` },
    risk: "once the webhook serves the new pair, its calls fail until upgrade-webhook puts the new CA in force",
  };
  const save: Create = {
    ...{ ...creationOf(copy), id: "cert.save" },
    why: `it keeps the pair that is replaced; put it back with: ${command}`,
    risk: "none: nothing serves the copy",
  };
  const update: Apply = {
    ...{ ...told, verb: "update", id: "cert.write", object, live: existing },
    why: "it holds another pair",
    holds: (stored) => sameContent(stored, object),
  };
  if (!needsDeletion(existing, wanted)) return [save, update];
  const deletion: Delete = {
    ...{ ...told, verb: "delete", id: "cert.delete", object: existing },
    why: "it cannot be updated in place",
    risk: "until it is made anew there is none: a webhook that starts meanwhile waits for it",
    needs: "to replace a Secret that cannot be updated (another type, or immutable)",
  };
  const why = "in the place of the deleted one";
  return [save, deletion, { ...creationOf(object), ...told, why, urgent: true }];
}

/** A name that the API server takes, whatever the run is called. */
function copyNameOf(secret: string, runId: string): string {
  return `${secret}-${runId.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`.replace(/-$/, "");
}
