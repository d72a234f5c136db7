/** What `cert create` reads, and what it writes: pure over what was read. */
import {
  type CertificateFacts,
  firstUnfit,
  judgeCertificate,
} from "../../domain/certificate/certificate";
import { EngineError, type ExitCode, exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import {
  type KubeObject,
  lastApplied,
  readName,
  readNamespace,
  objectLabel,
  type ObjectMeta,
} from "../../domain/kube/objects";
import type { LeftMarks } from "../../domain/kube/owners";
import {
  findKeeper,
  reportManagedSecret,
  otherManagers,
  reportOwnedSecret,
} from "../../domain/certificate/keepers";
import type { Certificates, NewPair } from "../../readers/certificate";
import type { Apply, Change, Create, Delete } from "../../domain/kube/change";
import type { BackupReport } from "../../kernel/report";
import type { AskingPorts } from "../../kernel/world";
import type { Names } from "../../domain/names/names";
import {
  getPath,
  isObject,
  type Json,
  asArray,
  getOwn,
  parseJson,
  sameJson,
  asString,
} from "../../domain/base/values";

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
  /** Why what kept the Secret is no more. */
  readonly left?: LeftMarks;
  /** The Secret that holds the pair to put in place, else the new pair as a Secret. */
  readonly source: KubeObject;
}

export interface CertPlan {
  readonly wanted: CertificateFacts;
  readonly findings: readonly Finding[];
  /** Who else wrote the pair that is replaced. */
  readonly managers?: readonly string[];
  /** Empty where the Secret holds this very pair. */
  readonly changes: readonly Change[];
  /** The copy of what is replaced, which is written first. */
  readonly backup?: BackupReport & Required<Pick<BackupReport, "command">>;
}

/** Throws where the pair is unfit (3), or the Secret is not to be replaced (5). */
export function planCreation(
  deps: CreateDeps,
  options: CreateOptions,
  { now, existing, left, source }: CertFacts,
): CertPlan {
  const { names, certificates, cluster } = deps;
  const { namespace } = cluster;
  const isCopy = isSavedCopy(source, names);
  const object = isCopy ? restoreSecret(source, names) : readPair(source, names);
  const wanted = certificates.readSecretCertificate(object, names);
  const findings = judgeCertificate(wanted, { namespace, now, names });
  const unfit = isCopy ? undefined : firstUnfit(findings);
  if (unfit !== undefined && options.fromSecret !== undefined) {
    throw new BlockedError(exitCodes.blocked, [{ ...unfit, object: objectLabel(source) }]);
  }
  if (existing === undefined) {
    return { wanted, findings, changes: [makeCreate(buildFirst(object, names))] };
  }
  if (sameContent(existing, object)) return { wanted, findings: [], changes: [] };
  requireAsked(deps, options, existing);
  const keeper = findKeeper(existing, names, left);
  if (keeper !== undefined) {
    throw new BlockedError(exitCodes.conflict, [reportOwnedSecret(existing, keeper)]);
  }
  const managers = otherManagers(existing, [options.fieldManager, names.fieldManager]);
  const warnings = managers.length === 0 ? [] : [reportManagedSecret(existing, managers)];
  const { changes, backup } = planKept(deps, options, { existing, object, left });
  return { wanted, findings: [...findings, ...warnings], managers, changes, backup };
}

/** The copy, and what takes the place of the Secret. */
function planKept(
  { names, engine }: CreateDeps,
  { runId }: CreateOptions,
  {
    existing,
    object,
    left,
  }: Pick<CertFacts, "left"> & {
    readonly existing: KubeObject;
    readonly object: KubeObject;
  },
): Required<Pick<CertPlan, "changes" | "backup">> {
  const copyName = nameCopy(names.webhook.secret, runId);
  const absent = left?.collected?.get(objectLabel(existing));
  // a copy with the reference would bring it back
  const copy = makeCopy(absent === undefined ? existing : disown(existing), copyName, names);
  const command = engine(["cert", "create", "--replace", "--from-secret", copyName]);
  const holds = "while the copy is there, and its certificate is valid";
  const backup = { object: objectLabel(existing), file: objectLabel(copy), command, holds };
  return { changes: planReplacement(existing, object, { copy, command, absent }), backup };
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
    `inspect it with: ${engine(["cert", "inspect"])}; replace it (it is saved first) with: ${engine(["cert", "create", "--replace"])}`,
  );
}

function makeCreate(object: KubeObject): Create {
  return {
    ...{ verb: "create", id: "cert.write", resource: kinds.secret, object },
    why: "there is none yet",
    source: "S27",
    risk: "none by itself: a webhook that waits for its pair starts",
    isHarmless: true,
    reverse: `kubectl delete secret ${readName(object)} -n ${readNamespace(object)}`,
    holds: (stored) => sameContent(stored, object),
  };
}

interface Replacing {
  readonly copy: KubeObject;
  readonly command: string;
  /** The owners that the Secret refers to and that do not exist, where it has no other. */
  readonly absent: string | undefined;
}

function disown(secret: KubeObject): KubeObject {
  return { ...secret, metadata: { ...secret.metadata, ownerReferences: [] } };
}

/** The copy first, then the Secret in its place, or after its deletion where it cannot be updated. */
function planReplacement(
  existing: KubeObject,
  wanted: KubeObject,
  { copy, command, absent }: Replacing,
): readonly Change[] {
  const object = buildSuccessor(absent === undefined ? existing : disown(existing), wanted);
  const told = {
    ...{ resource: kinds.secret, reverse: `by the copy that is kept: ${command}` },
    risk: "once the webhook serves the new pair, its calls fail until upgrade-webhook puts the new CA in force",
  };
  const save: Create = {
    ...{ ...makeCreate(copy), id: "cert.save" },
    why: `it keeps the pair that is replaced; put it back with: ${command}`,
    risk: "none: nothing serves the copy",
    isHarmless: true,
  };
  const update: Apply = {
    ...{ ...told, verb: "update", id: "cert.write", object, live: existing },
    why:
      absent === undefined
        ? "it holds another pair"
        : `it holds another pair; its owner reference goes, since ${absent} does not exist and the garbage collector would delete the Secret`,
    holds: (stored) => sameContent(stored, object),
  };
  if (!needsDeletion(existing, wanted)) return [save, update];
  const deletion: Delete = {
    ...{ ...told, verb: "delete", id: "cert.delete", object: existing },
    why: "it cannot be updated in place",
    risk: "until it is recreated there is none: a webhook that starts in the meantime waits for it",
    needs: "to replace a Secret that cannot be updated (another type, or immutable)",
  };
  const why = "in the place of the deleted one";
  return [save, deletion, { ...makeCreate(object), ...told, why, urgent: true }];
}

/** A name that the API server takes, whatever the run is called. */
function nameCopy(secret: string, runId: string): string {
  return `${secret}-${runId.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`.replace(/-$/, "");
}

/** A Secret in the form of the specification (S27): Opaque, two items; no labels of its own yet. */
export function pairSecret(namespace: string, names: Names, pair: NewPair): KubeObject {
  const { secret, secretCert, secretKey } = names.webhook;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secret, namespace },
    type: "Opaque",
    data: { [secretCert]: base64(pair.certPem), [secretKey]: base64(pair.keyPem) },
  };
}

/** The Secret once more under another name; its labels are set aside, since controllers act on them. */
function makeCopy(secret: KubeObject, name: string, names: Names): KubeObject {
  const { namespace, labels, annotations, ownerReferences } = secret.metadata;
  const { savedFrom, savedMetadata } = names.annotations;
  return {
    ...pickContent(secret),
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      annotations: {
        [savedFrom]: readName(secret),
        [savedMetadata]: JSON.stringify({
          labels,
          annotations: dropLastApplied(annotations),
          ownerReferences,
        }),
      },
    },
  };
}

/** True for what savedCopy has made of the webhook's Secret. */
function isSavedCopy(secret: KubeObject, names: Names): boolean {
  return getOwn(secret.metadata.annotations, names.annotations.savedFrom) === names.webhook.secret;
}

/** The Secret that a saved copy was made of, as it was. */
function restoreSecret(copy: KubeObject, names: Names): KubeObject {
  const namespace = asString(copy.metadata.namespace);
  const metadata = parseObject(getOwn(copy.metadata.annotations, names.annotations.savedMetadata));
  return {
    ...pickContent(copy),
    metadata: {
      name: names.webhook.secret,
      ...(namespace !== undefined && { namespace }),
      labels: strings(metadata["labels"]),
      annotations: strings(metadata["annotations"]),
      ownerReferences: asArray(metadata["ownerReferences"]).filter(isObject),
    },
  };
}

/** The pair of a Secret made by others: either spelling of the items, nothing else of it. */
function readPair(secret: KubeObject, names: Names): KubeObject {
  const { secretCert, secretKey } = names.webhook;
  const namespace = readNamespace(secret);
  const item = (...keys: readonly string[]): string | undefined =>
    keys
      .map((key) => asString(getPath(secret, ["data", key])))
      .find((value) => value !== undefined);
  const cert = item(secretCert, "tls.crt");
  const key = item(secretKey, "tls.key");
  return {
    ...pairSecret(namespace, names, { certPem: "", keyPem: "" }),
    data: {
      ...(cert !== undefined && { [secretCert]: cert }),
      ...(key !== undefined && { [secretKey]: key }),
    },
  };
}

/** True when the API server would refuse to update one into the other. */
function needsDeletion(existing: KubeObject, wanted: KubeObject): boolean {
  return existing["immutable"] === true || existing["type"] !== wanted["type"];
}

/** True when a write would change nothing that matters. */
export function sameContent(existing: KubeObject, wanted: KubeObject): boolean {
  return existing["type"] === wanted["type"] && sameJson(existing["data"], wanted["data"]);
}

/** `wanted` where no Secret was before. */
function buildFirst(wanted: KubeObject, names: Names): KubeObject {
  const labels = { app: names.operator.appLabel };
  return { ...wanted, metadata: { labels, ...wanted.metadata } };
}

/** `wanted` in the place of what was there, with its labels, annotations and owners unless it brings its own. */
function buildSuccessor({ metadata }: KubeObject, wanted: KubeObject): KubeObject {
  const { labels, annotations, ownerReferences } = metadata;
  return {
    ...wanted,
    metadata: {
      ...(labels !== undefined && { labels }),
      annotations: dropLastApplied(annotations),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...wanted.metadata,
    },
  };
}

/** Type, data and immutability: what makes a Secret, apart from what is said about it. */
function pickContent(secret: KubeObject): Json & Pick<KubeObject, "apiVersion" | "kind"> {
  const { type, data, immutable } = secret;
  return {
    apiVersion: "v1",
    kind: "Secret",
    ...(type !== undefined && { type }),
    ...(data !== undefined && { data }),
    ...(immutable === true && { immutable }),
  };
}

function dropLastApplied(annotations: ObjectMeta["annotations"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations ?? {}).filter(([key]) => key !== lastApplied),
  );
}

/** The entries of a value whose values are strings, as labels and annotations have them. */
function strings(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** An annotation can be edited by anyone: what does not parse counts as nothing. */
function parseObject(json: unknown): Json {
  const value = parseJson(String(json));
  return isObject(value) ? value : {};
}

function base64(value: string): string {
  return Buffer.from(value).toString("base64");
}
