import { defaultNames, defaultNames as names } from "../../../plugin/domain/names/names";
import { releasePairs } from "../../../plugin/domain/release/platforms";
import { complete, type Sources } from "../../../plugin/cli/complete";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../../plugin/domain/base/errors";
import { aFolder } from "../../support/a-folder";
import { aDatabase, aNamespace, anObject, resourceOf } from "../../support/builders";
import type { KeptCluster } from "../../support/kept-cluster";
import { writeRelease } from "../../support/releases/tree";
import { makeWorld } from "../../support/world";
import { anOperator } from "../domain/engine-cluster/scene";
import { type Scene, typed } from "../../support/program-world";

const sources: Sources = {
  codes: () =>
    Promise.resolve([
      ["SECRET-ABSENT", "the Secret is absent"],
      ["TEMPLATE-KIND", "wrong kind"],
    ]),
  found: () => Promise.resolve([]),
  names: defaultNames,
};

const wordsIn = (answer: string): readonly string[] =>
  answer
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");

/** The candidates, and the directive at the end. */
async function candidates(...words: readonly string[]): Promise<readonly string[]> {
  return wordsIn(await complete(words, sources));
}

test.each([
  ["commands", ["c"], ["check", "cert", "completion", ":4"]],
  ["PowerShell's empty word", ["cert", '""'], ["create", "inspect", ":4"]],
  ["after a flag with its value", ["-n", "x", "vers"], ["version", ":4"]],
  [
    "own flags",
    ["upgrade-webhook", "--take-"],
    ["--take-fields", "--take-template-selectors", "--take-template-rules", ":4"],
  ],
  ["global flags", ["version", "--dry"], ["--dry-run", ":4"]],
  ["text with more columns", ["status", "-o", "w"], ["wide", ":4"]],
  ["values of a flag", ["version", "-o", "j"], ["json", "jsonl", "jsonpath=", ":4"]],
  ["values bound to a flag", ["version", "--output=y"], ["--output=yaml", ":4"]],
  ["a flag of free text", ["version", "--context", ""], [":4"]],
  ["files", ["upgrade-webhook", "--template", ""], [":0"]],
  ["shells", ["completion", "f"], ["fish", ":4"]],
  ["codes", ["explain", "S"], ["SECRET-ABSENT", ":4"]],
  ["one code, no second one", ["explain", "SECRET-ABSENT", ""], [":4"]],
  ["codes to accept", ["upgrade", "--skip", "S"], ["SECRET-ABSENT", ":4"]],
  [
    "a code behind another one, which is not offered again",
    ["check", "--only=TEMPLATE-KIND,"],
    ["--only=TEMPLATE-KIND,SECRET-ABSENT", ":4"],
  ],
  ["words of a list", ["upgrade", "--only", "rbac,sc"], ["rbac,scc", ":4"]],
  ["no code where a cluster is named", ["upgrade-cluster", ""], [":4"]],
  ["no code where a database is named", ["upgrade-database", ""], [":4"]],
  ["a file as an argument", ["modules", "install", ""], [":0"]],
  ["no argument", ["version", ""], [":4"]],
  [
    "no word at all",
    [],
    [
      ...[
        "check",
        "upgrade",
        "upgrade-webhook",
        "reapply-rbac",
        "upgrade-operator",
        "upgrade-cluster",
        "upgrade-database",
        "unbind-scc",
        "cert",
        "modules",
        "rehearse",
        "diff",
        "validate",
        "audit",
        "policy",
        "advisories",
        "status",
        "recover",
        "explain",
        "completion",
        "version",
        "options",
      ],
      ":4",
    ],
  ],
  ["forms of verdicts where there are none", ["status", "-o", "s"], [":4"]],
  ["forms of verdicts", ["audit", "-o", "s"], ["sarif", ":4"]],
  ["what can be looked at by diff", ["diff", "re"], ["reapply-rbac", ":4"]],
  ["flags of the command behind diff", ["diff", "reapply-rbac", "--mo"], ["--mode", ":4"]],
  [
    "flags of a rehearsed command",
    ["rehearse", "cert", "create", "--y"],
    ["--years", "--yes", ":4"],
  ],
  [
    "flags of rehearse behind the command",
    ["rehearse", "upgrade-webhook", "--fr"],
    ["--from", ":4"],
  ],
  ["a place to rehearse on", ["rehearse", "--from", ""], [":0"]],
])("%s", async (_, words, expected) => {
  expect(await candidates(...words)).toEqual(expected);
});

test("__complete answers as kubectl asks a plugin, with help behind a tab", async () => {
  const { code, out } = await typed(["__complete", "vers"]);
  expect({ code, out }).toEqual({
    code: 0,
    out: "version\tPrint the versions of this tool, the server, the operator and the webhook\n:4\n",
  });
});

/** A cluster of two namespaces, in the first of which the commands work. */
function aCluster(): KeptCluster {
  const served = [names.ec, names.edb, names.eaadb].map(resourceOf);
  const world = makeWorld({ served });
  const ec = anObject(resourceOf(names.ec), { name: "main", namespace: "engine" });
  for (const name of ["engine", "shop"]) world.put(aNamespace(name));
  const { engineDbType, entryFields, fields } = names;
  const { bundledType, bundledVersion } = entryFields;
  const bundled = ["7.4.0", "8.0.2"].map((version) => {
    return { [bundledType]: engineDbType, [bundledVersion]: version };
  });
  const [status = "", list = ""] = fields.bundledDatabaseVersions;
  const spec = { engineEnterpriseImageSpec: { versionTag: "8.0.1-9" } };
  world.put({ ...ec, spec, [status]: { [list]: bundled } });
  world.put(anOperator("8.0.2-2", 1));
  world.put(aDatabase("engine", "orders"));
  world.put(aDatabase("shop", "carts"));
  return world.cluster;
}

const kubeconfig = {
  "current-context": "prod",
  contexts: [
    { name: "prod", context: { cluster: "west", user: "jane" } },
    { name: "arn:aws:eks:1:cluster/a", context: { cluster: "east", user: "jane" } },
    { name: "two words", context: { cluster: "east", user: "jane" } },
    { name: "moves\u001b[2J", context: { cluster: "east", user: "jane" } },
  ],
  clusters: ["west", "east"].map((name) => ({ name, cluster: { server: "https://127.0.0.1:1" } })),
  users: [{ name: "jane", user: {} }],
};

async function asked(line: string, scene: Scene = {}) {
  const file = join(aFolder("kubeconfig"), "config");
  writeFileSync(file, JSON.stringify(kubeconfig));
  const { code, out, err } = await typed(["__complete", ...line.split(" ")], {
    env: { KUBECONFIG: file },
    ...scene,
  });
  return { code, words: wordsIn(out), err };
}

const listKnown = (start: string): readonly string[] =>
  releasePairs.map(([operator]) => operator).filter((operator) => operator.startsWith(start));

const on = (cluster: KeptCluster): Scene => ({ connect: () => Promise.resolve(cluster) });

test.each([
  ["clusters", "upgrade-cluster ", ["main"]],
  ["no second cluster", "upgrade-cluster main ", []],
  ["clusters to look at", "status ", ["main"]],
  ["a cluster with its kind", "upgrade-cluster ec/", ["ec/main"]],
  ["the cluster of a flag", "unbind-scc --ec m", ["main"]],
  ["databases, of other namespaces with theirs", "upgrade-database ", ["orders", "shop/carts"]],
  ["those that are not typed yet", "upgrade-database orders ", ["shop/carts"]],
  ["databases of a namespace", "upgrade-database engine/", ["engine/orders"]],
  ["databases of every namespace", "upgrade-database -A ", ["engine/orders", "shop/carts"]],
  ["databases with their kind", "upgrade-database edb/s", ["edb/shop/carts"]],
  ["no database of another kind", "upgrade-database eaadb/", []],
  ["the database of a flag", "upgrade-database --canary=o", ["--canary=orders"]],
  ["of the command behind another one", "rehearse upgrade-cluster ", ["main"]],
  ["versions that the cluster publishes", "upgrade --engine-version ", ["7.4", "8.0"]],
  ["the versions of a database", "upgrade-database orders --engine-version 8", ["8.0"]],
  ["the versions of recovered databases", "recover --engine-version 7", ["7.4"]],
  ["the versions that modules have to fit", "modules in-use --target ", ["7.4", "8.0"]],
  ["the operator's release, and later ones", "check --target 8.0.1", listKnown("8.0.1")],
  ["no earlier release", "check --target 7", []],
  ["no release that was recalled", "check --target 8.0.20-21", []],
  [
    "the tag that belongs to the operator",
    "upgrade-cluster main --target ",
    ["8.0.2-17", "8.0.1-9"],
  ],
  [
    "the tag that belongs to the release on the line",
    "upgrade --target 8.2.0-12 --cluster-target ",
    ["8.2.0-25.12"],
  ],
  ["no tag of a release that nobody knows", "upgrade --target 9.9.9-9 --cluster-target ", []],
  ["namespaces", "status -n ", ["engine", "shop"]],
  ["namespaces of a list", "reapply-rbac --namespaces shop,", ["shop,engine"]],
  ["contexts that a shell can type", "status --context ", ["prod", "arn:aws:eks:1:cluster/a"]],
  ["clusters of the kubeconfig", "status --cluster w", ["west"]],
  ["users of the kubeconfig", "status --user ", ["jane"]],
])("a live cluster offers %s", async (_, line, words) => {
  expect(await asked(line, on(aCluster()))).toEqual({ code: 0, words: [...words, ":4"], err: "" });
});

describe("tags of a release", () => {
  const folder = aFolder("tags");
  beforeAll(() => {
    writeRelease(folder, "8.0.2-2");
  });

  test.each([
    ["the operator's", "upgrade --release FOLDER --target ", ["8.0.2-2"]],
    ["the clusters'", "upgrade --release FOLDER --cluster-target ", ["8.0.2-17"]],
    ["of one that is not there", "upgrade --release FOLDER/nowhere --target ", []],
    [
      "of an address, which is not called: those that are known",
      "check --release https://127.0.0.1:1/r --target 8.2",
      listKnown("8.2"),
    ],
  ])("%s", async (_, line, words) => {
    const connect = () => Promise.reject(new Error("connected"));
    const said = await asked(line.replace("FOLDER", folder), { connect });
    expect(said).toEqual({ code: 0, words: [...words, ":4"], err: "" });
  });
});

test("each form of the output has its own help", async () => {
  const { out } = await typed(["__complete", "validate", "-o", "j"]);
  expect(out).toBe(
    "json\tOne JSON document\njsonl\tEach step as a line of JSON, then the document\njsonpath=\tParts of the document by a template\njunit\tVerdicts as test results\n:4\n",
  );
});

test("a place to rehearse on is a context or a file", async () => {
  expect((await asked("rehearse --from p")).words).toEqual(["prod", ":0"]);
});

test("who may read one namespace alone is offered what is in it", async () => {
  const cluster = aCluster();
  cluster.before = ({ verb, target }) => {
    if (verb === "list" && !target.includes("/")) throw new ApiError("forbidden", { status: 403 });
  };
  const { words } = await asked("upgrade-database ", on(cluster));
  expect(words).toEqual(["orders", ":4"]);
});

test("the connection reads, asks nobody to log in, goes where the line says, and is closed", async () => {
  const seen: unknown[] = [];
  const cluster = aCluster();
  await asked("upgrade-cluster --context west -n shop ", {
    connect: ({ connection }, how) => {
      seen.push(connection, how);
      return Promise.resolve(cluster);
    },
  });
  expect(seen).toEqual([
    { context: "west", namespace: "shop" },
    { readOnly: true, silent: true },
  ]);
  expect(cluster.closed).toBe(true);
});

test.each(["status --context west -n ", "status --context west --namespace="])(
  "%s: the namespaces are those of the context on the line",
  async (line) => {
    const seen: unknown[] = [];
    await asked(line, {
      connect: ({ connection }) => {
        seen.push(connection);
        return Promise.resolve(aCluster());
      },
    });
    expect(seen).toEqual([expect.objectContaining({ context: "west" })]);
  },
);

test.each<[string, Scene]>([
  ["cannot be reached", {}],
  ["refuses", { connect: () => Promise.reject(new ApiError("forbidden", { status: 403 })) }],
  ["has no configuration", { env: { KUBECONFIG: "/nowhere/config" } }],
])("nothing is offered, and nothing said, where the cluster %s", async (_, scene) => {
  const { code, words, err } = await asked("upgrade-cluster ", scene);
  expect({ code, words, err }).toEqual({ code: 0, words: [":4"], err: "" });
});

test.each([
  ["in less than a second", "", 800],
  ["in the time that the line allows for a request", "--request-timeout=7s ", 7_000],
])("a cluster that does not answer is given up %s, and nothing is said", async (_, flag, limit) => {
  const cluster = aCluster();
  const rings: number[] = [];
  let given: AbortSignal | undefined;
  cluster.list = (_resource, options) => {
    given = options?.signal;
    return new Promise((_, reject) => {
      given?.addEventListener("abort", () => {
        reject(new Error("given up"));
      });
    });
  };
  const clock = {
    now: () => 0,
    sleep: () => Promise.resolve(),
    alarm: (ms: number, ring: () => void) => {
      rings.push(ms);
      setImmediate(ring);
      return () => undefined;
    },
  };
  const { code, words, err } = await asked(`upgrade-cluster ${flag}`, { ...on(cluster), clock });
  expect({ code, words, err }).toEqual({ code: 0, words: [":4"], err: "" });
  expect(given?.aborted).toBe(true);
  expect(Math.max(...rings)).toBe(limit);
});
