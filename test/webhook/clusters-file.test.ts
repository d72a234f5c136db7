import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import { UsageError } from "../../plugin/domain/base/errors";
import { defaultNames } from "../../plugin/domain/names/names";
import { FileClusters, parseClusters } from "../../webhook/clusters/file";
import { anEc, clusterFacts } from "./fake-clusters";
import { yamlBomb } from "../support/yaml-bomb";
import { FakeLog } from "./fake-log";
import { emptyFolder } from "./tls-folder";

const one = anEc({ name: "one" });
const two = anEc({ name: "two", namespace: "other" });
const facts = [clusterFacts({ name: "one" }), clusterFacts({ name: "two", namespace: "other" })];
const all = (clusters: FileClusters) =>
  ["engine", "other"].flatMap((namespace) => [...clusters.in(namespace).values()]);
const listOf = (...items: unknown[]) => ({ apiVersion: "v1", kind: "List", items });

test.each([
  ["one object as JSON", JSON.stringify(one), facts.slice(0, 1)],
  ["one object as YAML", dump(one), facts.slice(0, 1)],
  ["several documents", `---\n${dump(one)}---\n---\n${dump(two)}`, facts],
  ["a list as kubectl prints it", dump(listOf(one, two)), facts],
  [
    "a list of the kind",
    JSON.stringify({ kind: "EngineEnterpriseClusterList", items: [one] }),
    facts.slice(0, 1),
  ],
  ["a list of none", JSON.stringify(listOf()), []],
  [
    "an EC whose policy stands in a block that is merged in",
    `x: &base {engineUpgradePolicy: Major}\n${dump({ ...one, spec: undefined }, { skipInvalid: true })}spec: {<<: *base}\n`,
    [{ ...facts[0], policy: "Major" }],
  ],
  [
    "an EC of the older version",
    JSON.stringify({ ...one, apiVersion: "app.engine.com/v1alpha1" }),
    facts.slice(0, 1),
  ],
])("reads %s", (_name, content, clusters) => {
  expect(parseClusters(content, defaultNames)).toEqual(clusters);
});

test.each([
  ["nothing", "", "it holds no EngineEnterpriseCluster"],
  ["aliases of aliases", yamlBomb, /absurd size/],
  ["a half-written file", "kind: [", /unexpected end of the stream/],
  [
    "another kind",
    dump(listOf(one, { apiVersion: "v1", kind: "Secret" })),
    "object 2 is no EngineEnterpriseCluster of app.engine.com",
  ],
  ["a text", "hello", "object 1 is no EngineEnterpriseCluster of app.engine.com"],
  [
    "an EC without namespace",
    dump({ ...one, metadata: { name: "x" } }),
    "object 1 lacks a name or a namespace",
  ],
  ["an EC twice", dump(listOf(one, two, one)), "engine/one is there twice"],
])("refuses %s", (_name, content, message) => {
  expect(() => parseClusters(content, defaultNames)).toThrow(message);
});

describe("a file that changes", () => {
  const dir = emptyFolder();
  const path = join(dir, "ecs.yaml");

  const open = () => {
    const log = new FakeLog();
    writeFileSync(path, dump(one));
    return { log, clusters: new FileClusters(path, { names: defaultNames, log }) };
  };

  afterAll(() => {
    rmSync(dir, { recursive: true });
  });

  test("is known at once", () => {
    const { clusters } = open();
    expect(clusters.hasSynced()).toBe(true);
    expect(all(clusters)).toEqual(facts.slice(0, 1));
    clusters.stop();
  });

  test("is read again for a live answer", async () => {
    const { clusters } = open();
    writeFileSync(path, dump(listOf(one, two)));
    expect(await clusters.live({ namespace: "other", name: "two" })).toEqual(facts[1]);
    expect(await clusters.live({ namespace: "engine", name: "two" })).toBeUndefined();
    expect(await clusters.liveIn("other")).toEqual(facts.slice(1));
  });

  test("is read again when it changes", async () => {
    const { clusters, log } = open();
    clusters.start();
    writeFileSync(join(dir, "new"), dump(listOf(one, two)));
    writeFileSync(path, dump(listOf(one, two)));
    await log.seen("clusters read again");
    clusters.stop();
    expect(all(clusters)).toEqual(facts);
  });

  test("an unknown policy is said again when it has changed or the EC is new", () => {
    const { log, clusters } = open();
    const write = (...items: readonly object[]) => {
      writeFileSync(path, dump(listOf(...items)));
      clusters.refresh();
      return log.of("unknown upgrade policy").map(({ fields }) => fields["value"]);
    };
    expect(write(anEc({ policy: "Major" }))).toEqual(['"Major"']);
    expect(write(anEc({ policy: "Major" }), two)).toEqual(['"Major"']);
    expect(write(anEc({ policy: 5 }))).toEqual(['"Major"', "5"]);
    expect(write(anEc({ policy: "major" }))).toHaveLength(2);
    expect(write(anEc({ policy: 5 }))).toEqual(['"Major"', "5", "5"]);
    expect(write(two)).toHaveLength(3);
    expect(write(two, anEc({ policy: 5 }))).toHaveLength(4);
  });

  test.each<[string, (file: string) => void]>([
    [
      "broken",
      (file) => {
        writeFileSync(file, "kind: [");
      },
    ],
    ["gone", rmSync],
  ])("keeps the last good content when it is %s, and says so once", (_name, spoil) => {
    const { clusters, log } = open();
    spoil(path);
    clusters.refresh();
    clusters.refresh();
    expect(all(clusters)).toEqual(facts.slice(0, 1));
    expect(log.lines).toMatchObject([
      { level: "error", message: "clusters kept, the file is broken" },
    ]);
  });

  test("has to be readable at start", () => {
    const context = { names: defaultNames, log: new FakeLog() };
    const missing = join(dir, "missing");
    expect(() => new FileClusters(missing, context)).toThrow(UsageError);
    expect(() => new FileClusters(missing, context)).toThrow(/^cannot use .*missing: ENOENT/);
  });
});
