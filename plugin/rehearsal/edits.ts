/** Edits of a stored database, sent as dry runs when the webhook is in force: what would a person see? */
import { ApiError } from "../domain/errors";
import type { Names } from "../domain/names";
import type { KubeObject, Ref } from "../domain/objects";
import { at, list, own, text } from "../domain/values";
import { entryOf } from "../domain/webhook/configuration";
import { answerOf } from "../domain/webhook/probe";
import { selects } from "../domain/webhook/selectors";
import type { Cluster } from "../run/ports";
import type { StateView } from "./model";

/** One edit, and the answer to it in kubectl's words. */
export interface Edit {
  /** The words after `kubectl`. */
  readonly command: readonly string[];
  readonly wanted: "refused" | "accepted";
  readonly answer: string;
  readonly asWanted: boolean;
}

/** A version that no release has, however it counts. */
const nonexistent = "9.9";

/**
 * An edit to a version that does not exist, and one that is fine; of a database that the webhook
 * is asked about. Empty when the cluster has none.
 */
export async function tryEdits(
  cluster: Cluster,
  state: StateView,
  names: Names,
): Promise<readonly Edit[]> {
  const database = judgedDatabase(state, names);
  if (database === undefined) return [];
  const refused = await send(cluster, names, { database, version: nonexistent });
  const others = versionsFor(state, names).filter(
    (version) => version !== at(database, names.fields.engineVersion),
  );
  const tried: Answered[] = [];
  // not every version that exists may be chosen: policy and modules have a say as well
  for (const version of others.reverse()) {
    tried.push(await send(cluster, names, { database, version }));
    if (tried.at(-1)?.is === "accepted") break;
  }
  const best = tried.at(-1);
  return [
    { ...shown(refused), wanted: "refused", asWanted: refused.is === "refused" },
    ...(best === undefined
      ? []
      : [{ ...shown(best), wanted: "accepted" as const, asWanted: best.is === "accepted" }]),
  ];
}

interface Answered {
  readonly command: readonly string[];
  readonly answer: string;
  readonly is: "accepted" | "refused" | "failed" | "other";
}

function shown({ command, answer }: Answered): Pick<Edit, "command" | "answer"> {
  return { command, answer };
}

function judgedDatabase(state: StateView, names: Names): KubeObject | undefined {
  const { configuration, entry } = names.webhook;
  const stored = state.get(
    { group: "admissionregistration.k8s.io", plural: "validatingwebhookconfigurations" },
    configuration,
  );
  const judged = entryOf(stored, entry);
  return state.list({ group: names.group, plural: names.edb.plural }).find((edb) => {
    const { metadata } = edb;
    const home = state.get({ group: "", plural: "namespaces" }, metadata.namespace ?? "");
    return (
      metadata.deletionTimestamp === undefined &&
      // nobody edits an instance of an active-active database
      (at(edb, names.edbFields.activeActive) ?? undefined) === undefined &&
      selects(own(judged, "namespaceSelector"), home?.metadata.labels ?? {}) &&
      selects(own(judged, "objectSelector"), metadata.labels ?? {})
    );
  });
}

/** The versions that some EC bundles, else those of the specification. */
function versionsFor(state: StateView, names: Names): string[] {
  const bundled = state
    .list({ group: names.group, plural: names.ec.plural })
    .flatMap((cluster) => list(at(cluster, names.fields.bundledDatabaseVersions)))
    .map((one) => text(own(one, names.entryFields.bundledVersion)))
    .filter((version) => version !== undefined);
  return [...new Set(bundled.length > 0 ? bundled : names.engineVersions)];
}

async function send(
  cluster: Cluster,
  names: Names,
  edit: { readonly database: KubeObject; readonly version: string },
): Promise<Answered> {
  const { kind, metadata } = edit.database;
  const { name = "", namespace = "" } = metadata;
  const { group, version, edb } = names;
  const body = nested(names.fields.engineVersion, edit.version);
  const command = [
    ...["patch", edb.short, name, "-n", namespace, "--type=merge"],
    ...["-p", JSON.stringify(body), "--dry-run=server"],
  ];
  const ref: Ref = { resource: { group, version, plural: edb.plural, kind }, name, namespace };
  try {
    await cluster.patch(ref, body, { type: "merge", dryRun: true, fieldManager: "kubectl-patch" });
    const answer = `${kind.toLowerCase()}.${group}/${name} patched (server dry run)`;
    return { command, answer, is: "accepted" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { command, answer: kubectlSays(error, kind, name), is: answerOf(error).is };
  }
}

function nested(path: readonly string[], value: unknown): object {
  const [first = "", ...rest] = path;
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

/** A refusal as kubectl prints it. */
export function kubectlSays(error: ApiError, kind: string, name: string): string {
  if (error.reason !== "Invalid") {
    const reason = error.reason === "" ? "" : ` (${error.reason})`;
    return `Error from server${reason}: ${error.message}`;
  }
  const head = `The ${kind} ${JSON.stringify(name)} is invalid`;
  const causes = error.causes.map(({ field = "", message = "" }) => `${field}: ${message}`);
  const lines = [...new Set(causes)];
  if (lines.length === 0) return head;
  if (lines.length === 1) return `${head}: ${lines.join("")}`;
  return [`${head}: `, ...lines.map((line) => `* ${line}`)].join("\n");
}
