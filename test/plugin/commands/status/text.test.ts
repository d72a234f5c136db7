/** The screen of a status, whole: golden files for the constellations that people meet. */
import { makeDetails, renderReason, statusLines } from "../../../../plugin/commands/status/screen";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Status } from "../../../../plugin/commands/status/status";
import { palette } from "../../../../plugin/output/escape";
import { fitText } from "../../../../plugin/domain/base/fit";
import type { StatusView } from "../../../../plugin/commands/status/read";
import { expectGolden, expectGoldenText } from "../../../support/golden";
import { anOperator, aPod, aSet, newTag, oldTag } from "../../domain/engine-cluster/scene";
import { aCluster, anEaadb, anEdb, statusOf, unread } from "./scene";
import { anOldConfiguration } from "../../../support/builders";

const plain = { palette: palette(false) };
const context = {
  names,
  server: "https://127.0.0.1:6443",
  options: {
    prefix: "kubectl engine" as const,
    contextArgs: ["--context=my cluster", "--namespace=engine"],
  },
};

const stuck = aPod(0, {
  ready: false,
  status: {
    conditions: [{ type: "Ready", status: "False" }],
    containerStatuses: [
      {
        name: "engine-enterprise-node",
        state: {
          waiting: {
            reason: "ImagePullBackOff",
            message: 'Back-off pulling image "engine/engine:8.0.2-17"',
          },
        },
      },
    ],
  },
});
const everyList = [
  "deployments",
  "ecs",
  "edbs",
  "eaadbs",
  "pods",
  "statefulSets",
  "webhookConfigurations",
  "roles",
] as const;

const scenes: Readonly<Record<string, Status>> = {
  fine: statusOf(),
  "operator-newer": statusOf({
    ecs: [aCluster(oldTag)],
    statefulSets: [aSet(oldTag)],
    pods: [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag })),
    edbs: [anEdb("orders", "7.2"), anEdb("sessions", "7.4"), anEdb("totals", "7.4")],
    eaadbs: [anEaadb("carts", "7.4")],
  }),
  "old-webhook": statusOf({ webhookConfigurations: [anOldConfiguration()] }),
  "rolling-stuck": statusOf({
    ecs: [aCluster(newTag, { state: "Upgrade" })],
    pods: [aPod(2), aPod(1), stuck],
    edbs: [anEdb("orders", "7.4"), anEdb("sessions", "8.2", { specStatus: "Invalid" })],
  }),
  "invalid-upgrade": statusOf({
    ecs: [
      aCluster(
        newTag,
        { state: "InvalidUpgrade", specStatus: "Valid" },
        { upgradeSpec: { autoUpgradeEngineEnterprise: true } },
      ),
    ],
    statefulSets: [aSet(oldTag)],
    pods: [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag })),
  }),
  "operator-rolling": statusOf({ deployments: [anOperator("8.0.2-2", 0)] }),
  unread: statusOf(...unread(...everyList)),
};

test.each(Object.keys(scenes))("%s", (name) => {
  const look: StatusView = { status: scenes[name] ?? statusOf() };
  const details = makeDetails(look, context);
  const lines = statusLines(details, plain);
  expectGoldenText(`status/${name}.txt`, `${lines.join("\n")}\n`);
  expectGolden(`status/${name}.json`, details);
  const wide = fitText(lines.join("\n"), 80)
    .split("\n")
    .filter((line) => line.length > 80);
  // a command is not broken: it is to be copied
  expect(wide.filter((line) => !/^\s*kubectl /.test(line))).toEqual([]);
});

test.each(["fine", "operator-newer", "rolling-stuck", "unread"])("%s, wide", (name) => {
  const details = makeDetails({ status: scenes[name] ?? statusOf() }, context);
  const lines = statusLines(details, { ...plain, wide: true });
  expectGoldenText(`status/${name}.wide.txt`, `${lines.join("\n")}\n`);
});

test("a row that is too wide becomes names and values: nothing is cut", () => {
  const long = "c".repeat(60);
  const ec = { ...aCluster(), metadata: { name: long, namespace: "engine" } };
  const style = { ...plain, width: 100 };
  const lines = statusLines(makeDetails({ status: statusOf({ ecs: [ec] }) }, context), style);
  const at = lines.findIndex((line) => line.startsWith("NAME "));
  expect(lines.slice(at, at + 9).map((line) => line.slice(0, 25).trimEnd())).toEqual([
    "NAME                     ".trimEnd(),
    "NODES",
    "VERSION",
    "STATE",
    "SPEC STATUS",
    "LICENSE STATE",
    "SHARDS LIMIT",
    "LICENSE EXPIRATION DATE",
    "AGE",
  ]);
  expect(lines[at]).toContain(long);
});

test("a state that is old says so, and since when", () => {
  const old = { since: "2026-08-01T10:16:00.000Z", because: "connection refused" };
  const [first] = statusLines(makeDetails({ status: statusOf(), old }, context), plain);
  expect(first).toBe(
    "OLD: the API server does not answer since 2026-08-01T10:16:00.000Z: connection refused",
  );
});

test("what comes from the cluster cannot move the cursor or color the screen", () => {
  const evil = "\u001b[31mred\u202e\n";
  const ec = aCluster(evil, { state: evil, specStatus: evil });
  const details = makeDetails(
    { status: statusOf({ ecs: [ec], edbs: [anEdb(evil, evil)] }) },
    context,
  );
  expect(statusLines(details, plain).join("")).not.toMatch(/[\u0000-\u001f\u202e]/);
});

test("color is the verdict's, and only where it is wanted", () => {
  const details = makeDetails({ status: statusOf({ deployments: [] }) }, context);
  const [colored, bare] = [true, false].map((on) =>
    statusLines(details, { palette: palette(on) }).join("\n"),
  );
  expect(colored).toContain("\u001b[31mStalled\u001b[0m");
  expect(bare).not.toContain("\u001b");
});

test("the names file goes along with every printed command", () => {
  const { next } = makeDetails(
    { status: scenes["operator-newer"] ?? statusOf() },
    { ...context, options: { ...context.options, namesFile: "acme.yaml" } },
  );
  expect(next?.command).toBe(
    "kubectl engine upgrade-cluster ec --target=8.0.2-17 '--context=my cluster' --namespace=engine --names=acme.yaml",
  );
});

test.each<[string, string]>([
  ["fine", "everything is healthy"],
  ["unread", "not all could be read: "],
  ["operator-rolling", "progressing: Operator"],
  ["rolling-stuck", "stalled: EC ec, EDB"],
])("one sentence on the whole: %s", (name, reason) => {
  expect(renderReason(makeDetails({ status: scenes[name] ?? statusOf() }, context))).toContain(
    reason,
  );
});

test("two rows that are too wide stand apart", () => {
  const named = (name: string) => ({
    ...aCluster(),
    metadata: { name: name.repeat(60), namespace: "engine" },
  });
  const status = statusOf({ ecs: [named("a"), named("b")], deployments: [] });
  const lines = statusLines(makeDetails({ status }, context), { ...plain, width: 100 });
  expect(lines.filter((line) => line.startsWith("NAME "))).toHaveLength(2);
  expect(lines.join("\n")).toMatch(/AGE +90d|AGE +<none>\n\nNAME/);
  expect(lines.join("\n")).toContain(
    "  OPERATOR-ABSENT Deployment/engine/engine-enterprise-operator: namespace engine has no",
  );
});

test("a narrow terminal gets narrow lines, a server that did not report its release none", () => {
  const status = statusOf({}, { apiServer: undefined });
  const screen = statusLines(makeDetails({ status }, context), { ...plain, width: 70 });
  const lines = fitText(screen.join("\n"), 70).split("\n");
  expect(lines.every((line) => line.length <= 70)).toBe(true);
  expect(lines[0]).toBe("Namespace engine on https://127.0.0.1:6443, read at");
});
