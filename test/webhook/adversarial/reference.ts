/**
 * The rules once more, plainly, straight from their text: S56, S61, S67 and C1–C20. It shares
 * nothing with the product, not even a name; who changes a rule changes it here too.
 */

/** What the rules say of a review; `either` where their text leaves it open. */
export type Expected = "allow" | "deny" | "unreadable" | "either";

type Data = Readonly<Record<string, unknown>>;

const specified = ["7.2", "7.4", "8.0", "8.2"]; // S61
const bundled = ["search", "ReJSON", "timeseries", "bf"]; // C9
const kinds = ["engineenterprisedatabases", "engineenterpriseactiveactivedatabases"];

const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function get(value: unknown, ...keys: readonly string[]): unknown {
  let inner = value;
  for (const key of keys) {
    inner = isData(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }
  return inner ?? undefined; // null is as good as absent
}

const words = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const items = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];
const same = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** 7.4 of "7.4" and "7.4.2" as 7004, so that order is the order of numbers. */
function versionOf(value: unknown): number | undefined {
  const match =
    typeof value === "string" ? /^(0|[1-9]\d*)\.(0|[1-9]\d*)([.-]|$)/.exec(value) : null;
  return match === null ? undefined : Number(match[1]) * 1_000 + Number(match[2]);
}

/** C16. */
function clusterOf(object: unknown, namespace: string, all: readonly unknown[]): unknown {
  const places = [...new Set([namespace, "engine"])].filter((place) => place !== "");
  const near = places.flatMap((place) =>
    all.filter((ec) => get(ec, "metadata", "namespace") === place),
  );
  const name = words(get(object, "spec", "engineEnterpriseCluster", "name"));
  if (name !== undefined) return near.find((ec) => get(ec, "metadata", "name") === name);
  return near.length === 1 ? near[0] : undefined;
}

interface Releases {
  readonly valid: readonly number[];
  readonly majors: readonly number[];
}

/** C1 and C4. */
function releasesOf(cluster: unknown): Releases {
  const entries = items(get(cluster, "status", "bundledDatabaseVersions"))
    .filter((entry) => get(entry, "dbType") === "engine")
    .map((entry) => ({ version: versionOf(get(entry, "version")), major: get(entry, "major") }))
    .flatMap(({ version, major }) =>
      version !== undefined && version >= 7_002 ? [{ version, major: major === true }] : [],
    );
  const published = entries.map(({ version }) => version);
  const valid =
    published.length > 0 ? published : specified.flatMap((each) => versionOf(each) ?? []);
  const flagged = entries.filter(({ major }) => major).map(({ version }) => version);
  const lineOf = (version: number): number => Math.floor(version / 1_000);
  const lowest = valid.filter(
    (version) => !valid.some((other) => lineOf(other) === lineOf(version) && other < version),
  );
  return { valid, majors: flagged.length > 0 ? flagged : lowest };
}

/** C12: databases alone, when they are made or changed. */
function isJudged(request: Data): boolean {
  const { operation } = request;
  return (
    (operation === "CREATE" || operation === "UPDATE") &&
    words(request["subResource"]) === undefined &&
    get(request, "resource", "group") === "app.engine.com" &&
    kinds.some((plural) => plural === get(request, "resource", "resource"))
  );
}

/** All that an API server sends. */
const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** What the rules say of the request of a review, by the ECs that there are. */
export function expectedOf(
  request: Data,
  clusters: readonly unknown[],
  allowLatest?: boolean,
): Expected {
  const { operation, object } = request;
  if (!operations.some((known) => known === operation)) return "unreadable";
  if (!isJudged(request)) return "allow";
  const old = operation === "CREATE" ? undefined : request["oldObject"];
  if (!isData(object) || (operation === "UPDATE" && !isData(old))) return "unreadable";
  const deleted = [object, old].some((each) => words(get(each, "metadata", "deletionTimestamp")));
  if (deleted) return "allow"; // C12
  const namespace = words(request["namespace"]) ?? "";
  const edit: Edit = { object, old, ...placesOf(request), namespace, clusters, allowLatest };
  const both = versions(edit).flatMap((one) => [judgeVersion(edit, one), judgePolicy(edit, one)]);
  const verdicts = [judgeShapes(edit), ...both, judgeModules(edit)];
  return (["deny", "either"] as const).find((each) => verdicts.includes(each)) ?? "allow";
}

/** C8: an active-active database has all below its global configurations, its version at both places. */
function placesOf(request: Data): Pick<Edit, "parent" | "places"> {
  const parent = ["spec", "globalConfigurations"];
  const isPlain = get(request, "resource", "resource") === kinds[0];
  return isPlain
    ? { parent: ["spec"], places: [["spec"]] }
    : { parent, places: [["spec"], parent] };
}

interface Edit {
  readonly object: Data;
  readonly old: unknown;
  /** Of the module lists. */
  readonly parent: readonly string[];
  /** Of the engineVersion. */
  readonly places: readonly (readonly string[])[];
  readonly namespace: string;
  readonly clusters: readonly unknown[];
  readonly allowLatest: boolean | undefined;
}

/** What holds the judged fields is an object, and the EC is named by a text; null is absent. */
function judgeShapes({ object, old, parent }: Edit): Expected {
  const isWrong = (place: readonly string[], fits: (value: unknown) => boolean): boolean => {
    const now = get(object, ...place);
    return now !== undefined && !fits(now) && !same(now, get(old, ...place));
  };
  const reference = ["spec", "engineEnterpriseCluster"];
  const holders = [["spec"], parent, reference];
  const isText = (value: unknown): boolean => typeof value === "string";
  const wrong = holders.some((place) => isWrong(place, isData));
  return wrong || isWrong([...reference, "name"], isText) ? "deny" : "allow";
}

interface Version {
  readonly now: unknown;
  readonly was: unknown;
  readonly changed: boolean;
}

function versions({ object, old, places }: Edit): readonly Version[] {
  return places.map((place) => {
    const now = get(object, ...place, "engineVersion");
    const was = get(old, ...place, "engineVersion");
    return { now, was, changed: !same(now, was) };
  });
}

/** S61, C1, C2, C12. */
function judgeVersion(edit: Edit, { now, changed }: Version): Expected {
  if (!changed || now === undefined || now === "major") return "allow";
  const cluster = clusterOf(edit.object, edit.namespace, edit.clusters);
  if (now === "latest") return passesLatest(edit, cluster) ? "allow" : "deny";
  const { valid } = releasesOf(cluster);
  const exact = typeof now === "string" && /^\d+\.\d+$/.test(now) ? versionOf(now) : undefined;
  return exact !== undefined && valid.includes(exact) ? "allow" : "deny";
}

/** C2. */
function passesLatest({ allowLatest }: Edit, cluster: unknown): boolean {
  if (allowLatest !== undefined) return allowLatest;
  return get(cluster, "spec", "engineUpgradePolicy") === "latest";
}

/** S67, C3–C7, C17–C20. */
function judgePolicy(edit: Edit, { now, was, changed }: Version): Expected {
  const { object, old, namespace, clusters } = edit;
  const target = versionOf(now);
  if (old === undefined || !changed) return "allow";
  const cluster = clusterOf(object, namespace, clusters);
  if (cluster === undefined) return "allow";
  // what this place had counts first, then the other place of an EAADB
  const had = versions(edit).map((version) => version.was);
  const told = [was, ...had, get(old, "status", "version")].map(versionOf);
  const current = told.find((version) => version !== undefined);
  const policies = [cluster, clusterOf(old, namespace, clusters)].map((ec) =>
    get(ec, "spec", "engineUpgradePolicy"),
  );
  const isMajor = [...policies, ...had].includes("major");
  const isRaise = target !== undefined && current !== undefined && target > current;
  const isMinor = isRaise && !releasesOf(cluster).majors.includes(target);
  return isMajor && (isMinor || now === "latest") ? "deny" : "allow"; // C19
}

/** S56, C9–C11, C17. */
function judgeModules(edit: Edit): Expected {
  const { object, old, parent, namespace, clusters } = edit;
  const cluster = clusterOf(object, namespace, clusters);
  const installed = items(get(cluster, "status", "modules")).map((module) => ({
    name: words(get(module, "name")),
    shown: words(get(module, "displayName")),
  }));
  const defined = items(get(cluster, "spec", "userDefinedModules")).map((module) =>
    words(get(module, "name")),
  );
  const isDefined = (name: string | undefined): boolean =>
    name !== undefined && defined.includes(name);
  // merely installed is not enough; a module's two names are as good as each other
  const mayBeUsed = (name: string): boolean =>
    bundled.includes(name) ||
    isDefined(name) ||
    installed.some(
      (module) =>
        (module.name === name && isDefined(module.shown)) ||
        (module.shown === name && (isDefined(module.name) || bundled.includes(module.name ?? ""))),
    );
  const all = versions(edit).some(({ changed }) => changed) || old === undefined;
  const before = all ? [] : namesOf(old, parent);
  const fresh = namesOf(object, parent).filter(
    (name) => !before.some((other) => same(name, other)),
  );
  if (fresh.some((name) => typeof name === "string" && !(name !== "" && mayBeUsed(name)))) {
    return "deny";
  }
  // what is not a name is refused when it is new; of odd values that replace odd values nothing is said
  if (!fresh.some((name) => typeof name !== "string")) return "allow";
  return before.some((name) => typeof name !== "string") ? "either" : "deny";
}

/** The names in both lists (C11); what stands in the place of a list counts as one odd name. */
function namesOf(object: unknown, parent: readonly string[]): readonly unknown[] {
  return ["moduleList", "modulesList"].flatMap((field): readonly unknown[] => {
    const value = get(object, ...parent, field);
    if (value !== undefined && !Array.isArray(value)) return [{ list: value }];
    return items(value).map((entry) => {
      const name = get(entry, "name");
      return typeof name === "string" ? name : { odd: name ?? null };
    });
  });
}
