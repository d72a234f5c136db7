/** Edits of a stored database, sent as dry runs when the webhook is in force: what would a person see? */
import { ApiError } from "../domain/base/errors";
import type { Names } from "../domain/names/names";
import { kinds } from "../domain/kube/kinds";
import type { KubeObject, Ref } from "../domain/kube/objects";
import { asArray, asString, getOwn, getPath } from "../domain/base/values";
import { findEntry } from "../domain/admission/configuration";
import { readAnswer } from "../domain/admission/answers";
import { selects } from "../domain/kube/selectors";
import type { KubeClient } from "../ports/kubernetes";
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
 * An edit that is wrong, and one that is fine; of a database that the webhook is asked about. What the
 * definition does not take shows nothing of the webhook: the next one is tried. Empty when the cluster
 * has no such database.
 */
export async function tryEdits(
  cluster: KubeClient,
  state: StateView,
  names: Names,
): Promise<readonly Edit[]> {
  const database = findReviewedDatabase(state, names);
  if (database === undefined) return [];
  const to = { cluster, names, database };
  const wrong = [nest(names.fields.engineVersion, nonexistent), ...unknownModule(database, names)];
  const refused = await findFirst(to, wrong, ({ is }) => is !== "other");
  // not every version that exists may be chosen: policy and modules have a say as well
  const isGood = ({ is }: Answered): boolean => is === "accepted";
  const [versions, channels] = goodValues(database, state, names);
  const version = await findFirst(to, versions, isGood);
  // an older definition takes channels alone
  const best =
    version === undefined || version.is === "other"
      ? ((await findFirst(to, channels, isGood)) ?? version)
      : version;
  return [
    ...(refused === undefined
      ? []
      : [
          {
            ...showAnswer(refused),
            wanted: "refused" as const,
            asWanted: refused.is === "refused",
          },
        ]),
    ...(best === undefined
      ? []
      : [{ ...showAnswer(best), wanted: "accepted" as const, asWanted: best.is === "accepted" }]),
  ];
}

interface Answered {
  readonly command: readonly string[];
  readonly answer: string;
  readonly is: "accepted" | "refused" | "failed" | "other";
}

interface EditTarget {
  readonly cluster: KubeClient;
  readonly names: Names;
  readonly database: KubeObject;
}

/** The first answer that will do, else the last one. */
async function findFirst(
  target: EditTarget,
  bodies: readonly object[],
  willDo: (answered: Answered) => boolean,
): Promise<Answered | undefined> {
  let last: Answered | undefined;
  for (const body of bodies) {
    last = await send(target, body);
    if (willDo(last)) break;
  }
  return last;
}

function showAnswer({ command, answer }: Answered): Pick<Edit, "command" | "answer"> {
  return { command, answer };
}

function findReviewedDatabase(state: StateView, names: Names): KubeObject | undefined {
  const { configuration, entry } = names.webhook;
  const stored = state.get(kinds.webhookConfiguration, configuration);
  const judged = findEntry(stored, entry);
  return state.list({ group: names.group, plural: names.edb.plural }).find((edb) => {
    const { metadata } = edb;
    const home = state.get(kinds.namespace, metadata.namespace ?? "");
    return (
      metadata.deletionTimestamp === undefined &&
      isEdited(edb, names) &&
      selects(judged?.namespaceSelector, home?.metadata.labels ?? {}) &&
      selects(judged?.objectSelector, metadata.labels ?? {})
    );
  });
}

/** Versions are those of the engine alone, and nobody edits an instance of an active-active database. */
function isEdited(edb: KubeObject, { edbFields, engineDbType }: Names): boolean {
  const type = getPath(edb, edbFields.type) ?? engineDbType;
  return type === engineDbType && (getPath(edb, edbFields.activeActive) ?? undefined) === undefined;
}

/** Edits to versions of the engine that some EC bundles, else to the specification's, newest first; and to channels. */
function goodValues(
  database: KubeObject,
  state: StateView,
  names: Names,
): readonly [versions: readonly object[], channels: readonly object[]] {
  const { bundledType, bundledVersion } = names.entryFields;
  const bundled = state
    .list({ group: names.group, plural: names.ec.plural })
    .flatMap((cluster) => asArray(getPath(cluster, names.fields.bundledDatabaseVersions)))
    .filter((one) => getOwn(one, bundledType) === names.engineDbType)
    .flatMap((one) => asString(getOwn(one, bundledVersion)) ?? []);
  const versions = [...new Set(bundled.length > 0 ? bundled : names.engineVersions)].reverse();
  const present = getPath(database, names.fields.engineVersion);
  const edits = (values: readonly string[]) =>
    values
      .filter((value) => value !== present)
      .map((value) => nest(names.fields.engineVersion, value));
  return [edits(versions), edits([names.majorChannel, names.latestChannel])];
}

/** Beside the modules that are there, under the name that the list has; a definition drops the other one. */
function unknownModule(database: KubeObject, names: Names): readonly object[] {
  return names.fields.moduleLists
    .map((field) => ["spec", field])
    .map((path) => {
      const module = { [names.entryFields.moduleName]: "no-such-module" };
      return nest(path, [...asArray(getPath(database, path)), module]);
    })
    .reverse();
}

async function send({ cluster, names, database }: EditTarget, body: object): Promise<Answered> {
  const { kind, metadata } = database;
  const { name = "", namespace = "" } = metadata;
  const { group, version, edb } = names;
  const command = [
    ...["patch", edb.short, name, "-n", namespace, "--type=merge"],
    ...["-p", JSON.stringify(body), "--dry-run=server"],
  ];
  const ref: Ref = { resource: { group, version, plural: edb.plural, kind }, name, namespace };
  try {
    await cluster.patch(ref, body, { type: "merge", dryRun: true, fieldManager: "kubectl-patch" });
    const answer = `${kind.toLowerCase()}.${group}/${name} patched`;
    return { command, answer, is: "accepted" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { command, answer: kubectlSays(error, kind, name), is: readAnswer(error).is };
  }
}

function nest(path: readonly string[], value: unknown): object {
  const [first = "", ...rest] = path;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
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
