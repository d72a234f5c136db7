/** Where helm's records of a release are looked for, and what is said of each place. */
import { listSteps, renderFix } from "../../../../plugin/domain/base/remedy";
import {
  type ChartHome,
  describeSearch,
  findLostRelease,
  isAbsent,
  listPlaceWays,
  listRecordLists,
  type RecordSearch,
} from "../../../../plugin/domain/operator/chart-marks";
import { forget } from "../../../../plugin/domain/operator/chart-states";

const lost = { release: "op", namespace: "engine" };
const nothing: RecordSearch = { found: [], unread: [] };
const inMaps = { storage: "ConfigMaps", namespace: "engine" } as const;
const inSecrets = { storage: "Secrets", namespace: "engine" } as const;
const elsewhere = { storage: "Secrets", namespace: "other" } as const;

test.each<[ChartHome | undefined, readonly object[]]>([
  ["Secrets", [{ storage: "Secrets" }, inMaps]],
  ["ConfigMaps", [inSecrets, { storage: "ConfigMaps" }]],
  ["database", [inSecrets, inMaps]],
  [undefined, [inSecrets, inMaps]],
])("records of %s are looked for in two lists", (home, lists) => {
  expect(listRecordLists(home, "engine")).toEqual(lists);
});

test.each<[RecordSearch | undefined, ChartHome, string, readonly string[]]>([
  [undefined, "Secrets", "", []],
  [nothing, "Secrets", "", []],
  [
    { ...nothing, found: [elsewhere] },
    "Secrets",
    "; records of a release of that name are in Secrets of namespace other",
    ["-n other", "helm get manifest op --namespace=other"],
  ],
  [
    { ...nothing, found: [inMaps] },
    "Secrets",
    "; records of a release of that name are in ConfigMaps of namespace engine",
    ["HELM_DRIVER=configmap,", "kubectl get configmaps -l owner=helm,name=op --namespace=engine"],
  ],
  [
    { ...nothing, found: [inSecrets] },
    "database",
    "; records of a release of that name are in Secrets of namespace engine",
    ["HELM_DRIVER=secret,"],
  ],
  [
    { found: [inMaps], unread: [{ storage: "Secrets" }] },
    "Secrets",
    "; records of a release of that name are in ConfigMaps of namespace engine; whether some are in Secrets of all namespaces is not known, since listing is forbidden",
    ["HELM_DRIVER=configmap,", "kubectl get secrets -l owner=helm,name=op --all-namespaces"],
  ],
  [
    { ...nothing, unread: [inMaps] },
    "Secrets",
    "; whether some are in ConfigMaps of namespace engine is not known, since listing is forbidden",
    ["kubectl get configmaps -l owner=helm,name=op --namespace=engine"],
  ],
])("of %j, where helm keeps them in %s, each place has its line", (search, kept, says, ways) => {
  expect(describeSearch(search)).toBe(says);
  const fix = renderFix(listPlaceWays(search, { ...lost, kept }));
  if (ways.length === 0) expect(fix).toBe("");
  for (const way of ways) expect(fix).toContain(way);
});

test.each<[RecordSearch, ChartHome, string, boolean]>([
  [nothing, "Secrets", "other", true],
  [{ ...nothing, found: [elsewhere] }, "Secrets", "other", false],
  [{ ...nothing, found: [elsewhere] }, "Secrets", "third", true],
  [{ ...nothing, found: [elsewhere] }, "ConfigMaps", "other", true],
  [{ ...nothing, unread: [{ storage: "Secrets" }] }, "Secrets", "other", false],
  [{ ...nothing, unread: [inMaps] }, "Secrets", "engine", true],
  [nothing, "database", "other", false],
])("after %j a release in %s of %s is absent: %s", (search, storage, namespace, absent) => {
  expect(isAbsent(search, { storage, namespace })).toBe(absent);
});

describe("a release that was lost", () => {
  const objects = [{ apiVersion: "v1", kind: "Service", metadata: { name: "x" } }];
  const told = (search: RecordSearch | undefined, more: object = {}) =>
    findLostRelease({ ...lost, kept: "Secrets", objects, search, ...more });

  test("is not lost where its records are in the other storage", () => {
    const { cause, remedies = [] } = told({ ...nothing, found: [inMaps] });
    expect(cause).not.toContain("gone");
    expect(remedies).toHaveLength(1);
  });

  test.each([
    ["another namespace has that name", { ...nothing, found: [elsewhere] }, false],
    ["nothing was found", nothing, true],
    ["nothing may be listed", { ...nothing, unread: [inMaps] }, true],
    ["nothing was looked for", undefined, true],
  ])("keeps every way where %s", (_, search, isGone) => {
    const { cause, fix } = told(search);
    expect(cause.includes("its records are gone")).toBe(isGone);
    for (const way of ["restore its records", "helm install op", "take the marks off"]) {
      expect(fix).toContain(way);
    }
  });
});

test.each<[ChartHome, readonly (string | undefined)[]]>([
  ["Secrets", ["get manifest op", "delete secret -l owner=helm,name=op", undefined]],
  ["ConfigMaps", ["get manifest op", "delete configmap -l owner=helm,name=op", undefined]],
  ["database", ["get manifest op", undefined, undefined]],
])("helm forgets a release of %s by its records, after a look at what it has", (home, lines) => {
  const remedy = forget(
    { namespace: "engine", home },
    { name: "op", chart: "c-1.0.0", status: "deployed" },
  );
  const runs = listSteps(remedy).map(({ run }) => run?.words.join(" "));
  expect(runs).toEqual(lines.map((line) => line && `${line} --namespace=engine`));
  expect(renderFix([remedy])).not.toContain("uninstall");
});
