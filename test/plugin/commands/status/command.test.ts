/** `status` as a person types it, on a cluster in memory. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readShippedRbac } from "../../../../plugin/adapters/shipped";
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath } from "../../../../plugin/domain/base/values";
import { InterruptedError } from "../../../../plugin/cmdutil/context";
import { runProgram } from "../../../../plugin/cli/program";
import { exampleSource } from "../../../../plugin/simulator/example";
import type { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import { type ObservedCall, observe } from "../../../../plugin/simulator/observed-cluster";
import type { User } from "../../../../plugin/simulator/model";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import type { StatusDetails } from "../../../../plugin/commands/status/screen";
import type { Report } from "../../../../plugin/kernel/report";
import { schemaProblems } from "../../../control-plane/plugin-run";
import { ManualClock, testTime } from "../../../support/manual-clock";
import { type Ended, type Scene, worldOf } from "../../../support/program-world";
import { aFolder } from "../../../support/a-folder";
import { expectGoldenText } from "../../../support/golden";
import { makeWorld } from "../../../support/world";

const admin: User = { name: "admin", groups: ["system:masters"] };
const ec = {
  resource: { group: names.group, version: names.ecVersion, ...names.ec },
  name: "ec",
  namespace: "engine",
};

let objects: readonly KubeObject[] = [];
beforeAll(async () => {
  ({ objects } = await exampleSource(names, testTime));
});

interface Played extends Ended {
  readonly calls: readonly ObservedCall[];
}

interface Play extends Scene {
  readonly user?: User;
  /** Called before each wait, with the number of waits so far. */
  readonly between?: (count: number, controlPlane: MemoryControlPlane) => void;
  /** What a request ends with instead of an answer. */
  readonly fail?: (call: ObservedCall) => Error | undefined;
  readonly more?: readonly KubeObject[];
  /** What the example does without. */
  readonly without?: (object: KubeObject) => boolean;
  /** Of the terminal. */
  readonly rows?: number;
}

async function play(argv: readonly string[], scene: Play = {}): Promise<Played> {
  // a minute after the example was made: its certificate has whole days left at the very moment
  const clock = new ManualClock(testTime + 60_000);
  const kept = objects.filter((object) => scene.without?.(object) !== true);
  const { controlPlane } = makeWorld({ objects: [...kept, ...(scene.more ?? [])], clock });
  let waits = 0;
  clock.beforeSleep = () => {
    waits += 1;
    scene.between?.(waits, controlPlane);
  };
  const calls: ObservedCall[] = [];
  const cluster = observe(
    controlPlane.connect({ user: scene.user ?? admin, namespace: "engine" }),
    async (call, send) => {
      calls.push(call);
      const error = scene.fail?.(call);
      if (error !== undefined) throw error;
      return await send();
    },
  );
  const world = {
    ...worldOf(["status", ...argv], { connect: () => Promise.resolve(cluster), ...scene }),
    clock,
  };
  if (scene.rows !== undefined) Object.assign(world.streams.out, { rows: scene.rows });
  const code = await runProgram(world);
  await new Promise(setImmediate);
  return { code, ...world.written(), calls };
}

const documentsOf = ({ out }: Ended): readonly (Report & { readonly details: StatusDetails })[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Report & { readonly details: StatusDetails });

function documentOf({ out }: Ended): Report & { readonly details: StatusDetails } {
  const document = JSON.parse(out) as Report & { readonly details: StatusDetails };
  expect(schemaProblems(document)).toEqual([]);
  return document;
}

test("one look: 0 whatever it says, lists alone, one document", async () => {
  const played = await play(["-o", "json"]);
  const { details, exit, kind } = documentOf(played);
  expect([played.code, kind, exit.code]).toEqual([0, "Status", 0]);
  const others = played.calls.filter(({ verb }) => verb !== "list");
  expect(others.map(({ subject }) => subject)).toEqual(["for the release of the API server"]);
  expect(details.operator.version).toBe("7.8.2-6");
  expect(details.databases.count).toBe(5);
  expect(details.webhook.configurations.map(({ old }) => old)).toEqual([true]);
  const command = "kubectl engine check";
  expect(details.findings).toEqual({ errors: 0, warnings: 0, first: [], all: [], command });
});

test("its findings are those of its components; check is named for all others", async () => {
  const without = ({ kind, metadata }: KubeObject): boolean =>
    kind === "Deployment" && metadata.name === names.operator.deployment;
  const { details } = documentOf(await play(["-o", "json", "-n", "engine"], { without }));
  expect(details.findings.all.map(({ code, source }) => [code, source])).toEqual([
    ["OPERATOR-ABSENT", "S9, S15"],
  ]);
  expect(details.findings).toMatchObject({
    errors: 1,
    command: "kubectl engine check --namespace=engine",
  });
});

test("text is the same model, as a screen", async () => {
  const { code, out, err } = await play([]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^Namespace engine on https:\/\/memory/);
  expect(out).toContain("Operator   Healthy");
  expect(out).toContain("EXPIRATION DATE");
  expect(out).not.toContain("\u001b");
});

const mayList = (group: string, ...resources: readonly string[]): readonly KubeObject[] => [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "jane" },
    rules: [{ apiGroups: [group], resources, verbs: ["list"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "jane" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "jane" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  },
];
const jane: User = { name: "jane", groups: ["system:authenticated"] };

test("what may not be read is unknown, the rest is shown, and the code is 0", async () => {
  const played = await play(["-o", "json"], {
    user: jane,
    more: mayList(names.group, names.ec.plural),
  });
  const { details } = documentOf(played);
  expect(played.code).toBe(0);
  expect(details.verdict).toBe("unknown");
  expect(details.operator.verdict).toEqual({ is: "unknown", because: "may not list deployments" });
  expect(details.clusters.items).toHaveLength(1);
});

test("where nothing at all may be read: 4, and the Role to ask for", async () => {
  const played = await play(["-o", "json"], { user: jane });
  const { exit, permissions } = documentOf(played);
  expect([played.code, exit.code]).toEqual([4, 4]);
  expect(permissions?.manifest).toContain("kind: ClusterRole");
});

const away = new UnavailableError("connection refused");

const setState = (controlPlane: MemoryControlPlane, state: string): void => {
  const stored = controlPlane.state.get(ec.resource, ec.name, ec.namespace);
  controlPlane.setStatus(ec, { ...(getPath(stored, ["status"]) as object), state });
};

test("--watch without a terminal: one line per component that changed, 124 with --timeout", async () => {
  const { code, out } = await play(["--watch", "--timeout", "10s", "--interval", "2s"], {
    between: (count, controlPlane) => {
      if (count === 2) setState(controlPlane, "Upgrade");
    },
  });
  const lines = out.trimEnd().split("\n");
  const told = lines.filter((line) => line.includes(" EC ec: "));
  expect(code).toBe(124);
  expect(told).toHaveLength(2);
  expect(told[1]).toMatch(/^2026-08-01T10:16:34\.\d+Z EC ec: .*state Upgrade/);
  expect(lines.filter((line) => line.includes(" Operator: "))).toHaveLength(1);
  expect(lines.slice(-2).join("\n")).toMatch(/^Ended with exit code 124: the watch has timed out/);
});

test("a component that goes is said to be gone", async () => {
  const { out } = await play(["--watch", "--timeout", "3s"], {
    fail: dropAfter("list engineenterpriseclusters", 1),
  });
  expect(out).toMatch(/ EC ec: gone/);
});

/** Refuses a kind of request after so many. */
function dropAfter(wanted: string, times: number): (call: ObservedCall) => Error | undefined {
  let seen = 0;
  return ({ verb, subject }) => {
    if (`${verb} ${subject}` !== wanted) return undefined;
    seen += 1;
    return seen > times ? new ApiError("forbidden", { status: 403 }) : undefined;
  };
}

test("-o jsonl --watch: a document for each change, and one at the end", async () => {
  const played = await play(["--watch", "--timeout", "10s", "-o", "jsonl"], {
    between: (count, controlPlane) => {
      if (count === 2) setState(controlPlane, "Upgrade");
    },
  });
  const documents = documentsOf(played);
  expect(documents.flatMap(schemaProblems)).toEqual([]);
  expect(documents.map(({ details }) => details.clusters.items[0]?.state)).toEqual([
    "Running",
    "Upgrade",
    "Upgrade",
  ]);
  expect(documents.map(({ exit }) => exit.code)).toEqual([0, 0, 124]);
});

test("the server goes and comes back: the last state stays, marked as old", async () => {
  let waits = 0;
  const played = await play(["--watch", "--timeout", "6s", "--interval", "2s", "-o", "jsonl"], {
    between: (count) => {
      waits = count;
    },
    fail: () => (waits === 1 || waits === 2 ? away : undefined),
  });
  const documents = documentsOf(played);
  expect(documents.map(({ details }) => details.old?.because)).toEqual([
    undefined,
    "connection refused",
    undefined,
    undefined,
  ]);
  expect(documents[1]?.details.clusters.items).toHaveLength(1);
});

test.each<[string, Error]>([["too many requests", new ApiError("slow down", { status: 429 })]])(
  "a server with %s is away too",
  async (_title, error) => {
    let waits = 0;
    const { code, out } = await play(["--watch", "--timeout", "3s"], {
      between: (count) => {
        waits = count;
      },
      fail: ({ verb, subject }) =>
        waits === 1 && verb === "list" && subject === "pods engine" ? error : undefined,
    });
    expect(code).toBe(124);
    expect(out).toContain(`API server: does not answer: ${error.message}`);
  },
);

test("an error of another sort ends the watch, with the last state", async () => {
  let waits = 0;
  const played = await play(["--watch", "-o", "json"], {
    between: (count) => {
      waits = count;
    },
    fail: ({ verb }) =>
      waits === 1 && verb === "list" ? new ApiError("bad request", { status: 400 }) : undefined,
  });
  expect(played.code).toBe(1);
  expect(documentOf(played).details.clusters.items).toHaveLength(1);
});

test("a signal ends it with 130, the last state and nothing else on stdout", async () => {
  const stop = new AbortController();
  const played = await play(["--watch", "-o", "json"], {
    signal: stop.signal,
    between: (count) => {
      if (count === 3) stop.abort(new InterruptedError("SIGINT"));
    },
  });
  const { details, exit } = documentOf(played);
  expect([played.code, exit.code]).toEqual([130, 130]);
  expect(details.clusters.items).toHaveLength(1);
});

test.each([[false], [true]])(
  "whoever interrupts a watch is told nothing (terminal: %s)",
  async (terminal) => {
    const stop = new AbortController();
    const between = (count: number): void => {
      if (count === 2) stop.abort(new InterruptedError("SIGINT"));
    };
    const { code, out, err } = await play(["--watch"], { signal: stop.signal, between, terminal });
    expect([code, err]).toEqual([130, ""]);
    expect(out).not.toMatch(/interrupted|Ended|Next: run/);
  },
);

test("a watch continues beyond the usual limit of a wait, unless one is given", async () => {
  const stop = new AbortController();
  const { code } = await play(["--watch", "--interval", "1m"], {
    signal: stop.signal,
    between: (count) => {
      if (count === 20) stop.abort(new InterruptedError("SIGINT"));
    },
  });
  expect(code).toBe(130);
  const limited = await play(["--watch", "--interval", "1m"], { env: { ENGINE_TIMEOUT: "2m" } });
  expect(limited.code).toBe(124);
});

test("each look reads all of it, every five seconds", async () => {
  const { calls } = await play(["--watch", "--timeout", "31s"]);
  const count = (subject: string): number =>
    calls.filter((call) => call.verb === "list" && call.subject.startsWith(subject)).length;
  const looks = 1 + Math.ceil(31 / 5);
  expect(count("pods")).toBe(looks);
  expect(count("customresourcedefinitions")).toBe(looks);
  expect(count("roles")).toBe(looks);
});

test("on a terminal the screen is written over, in color, and not written again at the end", async () => {
  const { code, out } = await play(["--watch", "--timeout", "3s", "--interval", "2s"], {
    terminal: true,
  });
  expect(code).toBe(124);
  expect(out.startsWith("\u001b[2J\u001b[HNamespace engine")).toBe(true);
  expect(out.split("\u001b[H").length - 1).toBe(3);
  expect(out.split("\u001b[2J").length - 1).toBe(1);
  expect(out.split("Namespace engine").length - 1).toBe(3);
  expect(out).toContain("\u001b[32mHealthy\u001b[0m");
  expect(out).toMatch(/Ended with exit code 124/);
});

test("a screen higher than the terminal is cut, and says so", async () => {
  const { out } = await play(["--watch", "--timeout", "1s"], { terminal: true, rows: 10 });
  expect(out).toMatch(/more lines: enlarge the window/);
  expect(out.split("\u001b[H")[1]?.split("\n").length).toBe(10);
});

test("--until fine ends with 124 when it is not in time", async () => {
  const metadata = { name: "edb-role", namespace: "shop" };
  const more = [{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: [] }];
  const words = ["--until", "fine", "--timeout", "5s", "-o", "json"];
  const { code, out } = await play(words, { more });
  expect(code).toBe(124);
  expect((JSON.parse(out) as Report).exit.reason).toMatch(/^it was not healthy in time: /);
});

test.each<[readonly string[], string]>([
  [["--interval", "5s"], "--interval: only with --watch"],
  [["--watch", "--interval", "5ms"], "--interval: at least 100ms"],
  [["--watch", "--probe"], "--probe and --watch: give one of the two"],
  [["--until", "done"], "is not one of healthy, fine"],
  [["--release", "no-such-release"], "no-such-release"],
  [["ec", "-A"], "NAME and --all-namespaces: give one of the two; with NAME goes -n"],
  [["edb/orders"], "the name of an EC is expected"],
  [["-A", "--watch"], "--all-namespaces: a watch is of one namespace: give it with -n instead"],
  [
    ["-A", "--until", "healthy"],
    "--all-namespaces: a watch is of one namespace: give it with -n instead",
  ],
])("wrong usage, and no cluster is asked: %j", async (argv, problem) => {
  const { code, err, calls } = await play(argv);
  expect([code, calls.length]).toEqual([2, 0]);
  expect(err).toContain(problem);
});

test("a rehearsal is not watched: nothing would change", async () => {
  const world = { ...worldOf(["status", "--watch"]), clock: new VirtualClock(testTime) };
  const code = await runProgram(world);
  await new Promise(setImmediate);
  expect(code).toBe(2);
  expect(world.written().err).toContain("nothing changes in a rehearsal");
});

describe("--release", () => {
  let folder = "";
  beforeEach(() => {
    folder = aFolder("release");
  });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  test("compares with its roles, and its flag goes along with the next command", async () => {
    const shipped = readShippedRbac();
    for (const file of ["role.yaml", "role_binding.yaml"]) {
      write(`multi-namespace-edb/${file}`, shipped[file] ?? "");
    }
    const { details, exit } = documentOf(await play(["--release", folder, "-o", "json"]));
    expect(details.rbac.comparedWith).toBe(folder);
    expect(details.rbac.places).toBe(2);
    expect(details.next?.command).toContain(`--release=${folder}`);
    expect(exit.next).toBe(details.next?.command);
  });

  test("files that do not fit are wrong usage", async () => {
    write("bundle.yaml", "kind: Nothing\n");
    write("openshift.bundle.yaml", "kind: Nothing\n");
    const { code, out } = await play(["--release", folder, "-o", "json"]);
    expect(code).toBe(2);
    expect((JSON.parse(out) as Report).exit.reason).toContain("bundle.yaml");
  });
});

test("--probe sends dry runs alone, and shows what they proved", async () => {
  const played = await play(["--probe", "-o", "json"]);
  const { details } = documentOf(played);
  expect([played.code, played.calls.filter(({ writes }) => writes)]).toEqual([0, []]);
  // the example has the old configuration alone
  expect(details.webhook.probe).toEqual({
    proven: false,
    says: "no configuration of this namespace can be probed",
  });
});

/** Another EC beside that of the example, and a database of it. */
function anotherEc(): readonly KubeObject[] {
  const one = (kind: string): KubeObject => {
    const found = objects.find((object) => object.kind === kind);
    if (found === undefined) throw new Error(`the example has no ${kind}`);
    return found;
  };
  const { spec, ...database } = one(names.edb.kind);
  return [
    { ...one(names.ec.kind), metadata: { name: "west", namespace: "engine" } },
    {
      ...database,
      metadata: { name: "of-west", namespace: "engine" },
      spec: { ...(spec as object), [String(names.fields.clusterReference[1])]: { name: "west" } },
    },
  ];
}

describe("with the name of an EC", () => {
  test.each<[string, readonly string[], number]>([
    ["ec", ["ec"], 5],
    [`${names.ec.short}/ec`, ["ec"], 5],
    ["west", ["west"], 1],
  ])("%s: it and its databases alone", async (name, shown, count) => {
    const { details } = documentOf(await play([name, "-o", "json"], { more: anotherEc() }));
    expect(details.clusters.items.map((item) => item.name)).toEqual(shown);
    expect(details.databases.count).toBe(count);
  });

  test("a name that does not exist is one error with those that do", async () => {
    const played = await play(["nothing", "-o", "json"], { more: anotherEc() });
    const { exit, findings, details } = documentOf(played);
    expect([played.code, exit.code, details]).toEqual([3, 3, undefined]);
    expect(findings).toMatchObject([
      {
        code: "CLUSTER-ABSENT",
        object: `${names.ec.kind}/engine/nothing`,
        cause: "namespace engine has no EC nothing; it has ec, west",
      },
    ]);
    const { out } = await play(["nothing"]);
    expect(out).toContain("namespace engine has no EC nothing; it has ec");
  });

  test("where ECs may not be listed it is not said to be absent", async () => {
    const more = mayList("apps", "deployments");
    const { details } = documentOf(await play(["ec", "-o", "json"], { user: jane, more }));
    expect(details.clusters.verdict.is).toBe("unknown");
  });

  test("it is watched alone", async () => {
    const words = ["west", "--watch", "--timeout", "3s"];
    const { code, out } = await play(words, { more: anotherEc() });
    expect(code).toBe(124);
    expect(out).toContain(" EC west: ");
    expect(out).not.toContain(" EC ec: ");
  });
});

/** The operator once more, in a namespace of its own. */
function secondOperator(): readonly KubeObject[] {
  const metadata = { name: "data" };
  const operator = objects.find(
    (one) => one.kind === "Deployment" && one.metadata.name === names.operator.deployment,
  );
  if (operator === undefined) throw new Error("the example has no operator");
  return [
    { apiVersion: "v1", kind: "Namespace", metadata },
    { ...operator, metadata: { name: names.operator.deployment, namespace: "data" } },
  ];
}

describe("-A", () => {
  interface Everywhere {
    readonly namespaces: readonly StatusDetails[];
  }
  const everywhereIn = (played: Played): Everywhere =>
    documentOf(played).details as unknown as Everywhere;

  test.each([["-A"], ["--all-namespaces"]])(
    "%s: every namespace with an operator, in one document",
    async (flag) => {
      const played = await play([flag, "-o", "json", "-n", "shop"], { more: secondOperator() });
      const { namespaces } = everywhereIn(played);
      const { exit } = documentOf(played);
      expect([played.code, played.err]).toEqual([0, ""]);
      expect(namespaces.map(({ namespace }) => namespace)).toEqual(["data", "engine"]);
      expect(namespaces.map(({ clusters }) => clusters.items.length)).toEqual([0, 1]);
      expect(namespaces.map(({ findings }) => findings.command)).toEqual([
        "kubectl engine check --namespace=data",
        "kubectl engine check --namespace=engine",
      ]);
      expect(exit.reason).toBe("everything is healthy");
      expect(exit.next).toBe("kubectl engine upgrade-webhook --namespace=engine");
    },
  );

  test("as text the tables are one, with the namespace in front", async () => {
    const { code, out } = await play(["-A"], { more: secondOperator() });
    expect(code).toBe(0);
    expectGoldenText("status/everywhere.txt", out);
  });

  test("what is of the whole cluster is read once, however many namespaces there are", async () => {
    const { calls } = await play(["-A"], { more: secondOperator() });
    const lists = calls.filter(({ verb }) => verb === "list").map(({ subject }) => subject);
    const wide = lists.filter((subject) => !subject.includes(" "));
    expect(wide.length).toBeGreaterThan(10);
    expect(wide.filter((subject, at) => wide.indexOf(subject) !== at)).toEqual([]);
  });

  test("--probe tries the webhook of each, as its own namespace serves it", async () => {
    const { webhook, group, edb } = names;
    const any = ["*"];
    const serving: KubeObject = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: webhook.configuration },
      webhooks: [
        {
          name: webhook.entry,
          clientConfig: { service: { name: webhook.service, namespace: "data" } },
          rules: [
            { apiGroups: [group], apiVersions: any, operations: any, resources: [edb.plural] },
          ],
        },
      ],
    };
    const more = [...secondOperator(), serving];
    const played = await play(["-A", "--probe", "-o", "json"], { more });
    const { namespaces } = everywhereIn(played);
    expect(namespaces.map((one) => [one.namespace, one.webhook.probe?.says])).toEqual([
      ["data", "an edit that must be refused passes: no webhook in force refuses it"],
      ["engine", "no configuration of this namespace can be probed"],
    ]);
    expect(documentOf(played).probes).toHaveLength(1);
    expect(played.calls.filter(({ writes, dryRun }) => writes && !dryRun)).toEqual([]);
  });

  test("-o name lists the ECs of all of them", async () => {
    const { out } = await play(["-A", "-o", "name"], { more: secondOperator() });
    expect(out).toBe(`${names.ec.kind.toLowerCase()}.${names.group}/ec\n`);
  });

  test("what is not healthy is told with its namespace", async () => {
    const metadata = { name: "edb-role", namespace: "shop" };
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: [] };
    const { exit } = documentOf(await play(["-A", "-o", "json"], { more: [role] }));
    expect(exit.reason).toMatch(/^namespace engine: stalled: .*RBAC/);
  });

  test("without an operator anywhere that is what it says", async () => {
    const without = ({ metadata: { name } }: KubeObject): boolean =>
      name === names.operator.deployment;
    const played = await play(["-A"], { without });
    expect(played).toMatchObject({ code: 0, out: "no namespace has an operator\n" });
  });

  test("who may not list operators is told the Role to ask for", async () => {
    const played = await play(["-A", "-o", "json"], { user: jane });
    const { permissions } = documentOf(played);
    expect(played.code).toBe(4);
    expect(permissions?.manifest).toContain("deployments");
  });
});
