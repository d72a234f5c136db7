/** `status` as a person types it, on a cluster in memory. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { readShippedRbac } from "../../../../plugin/adapters/shipped";
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { rbacFindings } from "../../../../plugin/domain/rbac/findings";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath, omit } from "../../../../plugin/domain/base/values";
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
import { testCa } from "../../../support/builders";
import { serveAll } from "../../../support/probes";
import type { WebhookServer } from "../../../support/served-webhooks";
import { makeWorld } from "../../../support/world";
import { permissive } from "../upgrade-webhook/scene";

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
  /** Webhooks that answer otherwise than as the product's, by `namespace/name`. */
  readonly servers?: Readonly<Record<string, WebhookServer>>;
  /** Of the terminal. */
  readonly rows?: number;
}

async function play(argv: readonly string[], scene: Play = {}): Promise<Played> {
  // a minute after the example was made: its certificate has whole days left at the very moment
  const clock = new ManualClock(testTime + 60_000);
  const kept = objects.filter((object) => scene.without?.(object) !== true);
  const all = [...kept, ...(scene.more ?? [])];
  const { controlPlane } = makeWorld({
    ...{ objects: all, clock },
    servers: { ...serveAll(all), ...scene.servers },
  });
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

const sentDryRuns = ({ calls }: Played): readonly ObservedCall[] =>
  calls.filter(({ dryRun }) => dryRun);

test("one look: 0 whatever it says, lists and dry runs alone, one document", async () => {
  const played = await play(["-o", "json"]);
  const { details, exit, kind } = documentOf(played);
  expect([played.code, kind, exit.code]).toEqual([0, "Status", 0]);
  const asked = played.calls.filter(({ verb }) => verb === "ask");
  expect(asked.map(({ subject }) => subject)).toEqual([
    "for the release of the API server",
    ...["create", "update"].map((verb) => `whether to ${verb} ${names.edb.plural}`),
  ]);
  expect(played.calls.filter(({ writes }) => writes)).toEqual([]);
  expect(sentDryRuns(played)).not.toEqual([]);
  expect(details.operator.version).toBe("7.8.2-6");
  expect(details.databases.count).toBe(5);
  expect(details.webhook.configurations.map(({ old }) => old)).toEqual([true]);
  const command = "kubectl engine check";
  const none = { errors: 0, warnings: 0, first: [], all: [], complete: true };
  expect(details.findings).toEqual({ ...none, command });
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

/** The same in one namespace alone. */
const mayListIn = (namespace: string, ...given: Parameters<typeof mayList>) =>
  mayList(...given).map((one) => ({
    ...one,
    kind: one.kind.replace("Cluster", ""),
    metadata: { ...one.metadata, namespace },
    ...("roleRef" in one && { roleRef: { ...(one["roleRef"] as object), kind: "Role" } }),
  }));

describe("with a role for the ECs and the EDBs of one namespace alone", () => {
  const more = mayListIn("engine", names.group, names.ec.plural, names.edb.plural);

  test("what it has of them is shown, and what is outside of it is said not to be seen", async () => {
    const { code, out } = await play([], { user: jane, more });
    expect(code).toBe(0);
    expectGoldenText("status/one-namespace.txt", out);
  });

  test("an EC that it does not have is said to be absent, of a list that was read there", async () => {
    const played = await play(["nothing", "-o", "json"], { user: jane, more });
    expect([played.code, documentOf(played).findings?.[0]?.code]).toEqual([3, "CLUSTER-ABSENT"]);
  });

  test("where no other namespace is managed, those are all of them", async () => {
    const settings = mayListIn("engine", "apps", "deployments").map((one) => ({
      ...one,
      ...("rules" in one && {
        rules: [
          ...(one["rules"] as object[]),
          { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] },
        ],
      }),
      metadata: { ...one.metadata, name: "settings" },
      ...("roleRef" in one && { roleRef: { ...(one["roleRef"] as object), name: "settings" } }),
    }));
    const without = ({ kind }: KubeObject): boolean => kind === "ConfigMap";
    const scene = { user: jane, more: [...more, ...settings], without };
    const { databases, activeActive } = documentOf(await play(["-o", "json"], scene)).details;
    expect(databases).toMatchObject({ count: 2, namespaces: ["engine"], verdict: { is: "fine" } });
    expect(databases).not.toHaveProperty("unread");
    expect(activeActive.verdict.is).toBe("unknown");
  });
});

describe("with a role for the ECs and the EDBs alone", () => {
  const scene: Play = {
    user: jane,
    more: mayList(names.group, names.ec.plural, names.edb.plural),
  };

  test.each([
    ["few-rights", []],
    ["few-rights.wide", ["-o", "wide"]],
  ])("the screen says of each component what was not read: %s", async (golden, words) => {
    const { code, out } = await play(words, scene);
    expect(code).toBe(0);
    expectGoldenText(`status/${golden}.txt`, out);
  });

  test("the document counts nothing that was not read", async () => {
    const { details, exit } = documentOf(await play(["-o", "json"], scene));
    const { clusters, databases, activeActive, findings } = details;
    expect(clusters.items[0]).toMatchObject({ unread: "may not list statefulsets, pods" });
    expect(clusters.items[0]).not.toHaveProperty("running");
    expect(databases).toMatchObject({
      count: 2,
      namespaces: ["engine"],
      unread: "may not list deployments, configmaps",
    });
    expect(activeActive).not.toHaveProperty("count");
    expect(findings).toMatchObject({ errors: 0, complete: false });
    expect(exit.reason).toMatch(/^not all could be read: /);
  });

  test("a watch says the same of each component", async () => {
    const { out } = await play(["--watch", "--timeout", "1s"], scene);
    expect(out).toContain("EC ec: Unknown: wants 7.8.2-34, pods not read (may not list ");
    expect(out).toContain("EDB: Unknown: 2 EDB seen in engine; may not list ");
    expect(out).not.toContain("Next: nothing");
  });

  test("which namespaces have an operator is not known: 4, and the Role to ask for", async () => {
    const played = await play(["-A", "-o", "json"], scene);
    expect(played.code).toBe(4);
    expect(documentOf(played).permissions?.manifest).toContain("deployments");
  });
});

test("where nothing at all may be read: 4, and the Role to ask for", async () => {
  const played = await play(["-o", "json"], { user: jane });
  const { exit, permissions } = documentOf(played);
  expect([played.code, exit.code]).toEqual([4, 4]);
  expect(permissions?.manifest).toContain("kind: ClusterRole");
  expect(permissions?.manifest).not.toContain("secrets");
});

test("with that Role alone every component is as an administrator sees it, but for the certificate", async () => {
  const { permissions } = documentOf(await play(["-o", "json"], { user: jane }));
  const more = parseDocuments(permissions?.manifest ?? "", "manifest") as unknown as KubeObject[];
  const granted = documentOf(await play(["-o", "json"], { user: jane, more })).details;
  const whole = documentOf(await play(["-o", "json"])).details;
  const others = (one: StatusDetails): unknown => ({
    ...omit(one, "webhook", "summary", "findings", "verdict", "next"),
    summary: one.summary.filter(({ title }) => title !== "Webhook"),
  });
  expect(others(granted)).toEqual(others(whole));
  expect(granted.webhook).not.toHaveProperty("certificate");
  // what was seen to work needs no look at its Secret, but whether that will expire was not seen
  expect(granted.webhook).toMatchObject({ probe: { proven: true }, verdict: { is: "fine" } });
  expect(granted.findings.complete).toBe(false);
});

const away = new UnavailableError("connection refused");

const setState = (controlPlane: MemoryControlPlane, state: string): void => {
  const stored = controlPlane.state.get(ec.resource, ec.name, ec.namespace);
  controlPlane.setStatus(ec, { ...(getPath(stored, ["status"]) as object), state });
};

test("--watch without a terminal: one line per component that changed, 124 with --timeout", async () => {
  const { code, out } = await play(
    ["--watch", "--no-probe", "--timeout", "10s", "--interval", "2s"],
    {
      between: (count, controlPlane) => {
        if (count === 2) setState(controlPlane, "Upgrade");
      },
    },
  );
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
    if (!`${verb} ${subject}`.startsWith(wanted)) return undefined;
    seen += 1;
    return seen > times ? new ApiError("forbidden", { status: 403 }) : undefined;
  };
}

test("-o jsonl --watch: a document for each change, and one at the end", async () => {
  const played = await play(["--watch", "--no-probe", "--timeout", "10s", "-o", "jsonl"], {
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
  const words = ["--watch", "--no-probe", "--timeout", "6s", "--interval", "2s", "-o", "jsonl"];
  const played = await play(words, {
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
    const { code, out } = await play(["--watch", "--no-probe", "--timeout", "3s"], {
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
  let looks = 0;
  const played = await play(["--watch", "-o", "json"], {
    fail: ({ verb, subject }) => {
      if (verb !== "list" || subject !== names.edb.plural) return undefined;
      looks += 1;
      return looks === 2 ? new ApiError("bad request", { status: 400 }) : undefined;
    },
  });
  expect([played.code, looks]).toEqual([1, 2]);
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
    const { code, out, err } = await play(["--watch", "--no-probe"], {
      ...{ signal: stop.signal, between, terminal },
    });
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

describe("the probe", () => {
  const seen = "refused a bad edit and passed a good one 0.0 s ago";
  const notSeen = "as far as the configuration shows it works: ";
  /** May read everything, and write nothing. */
  const reader: Play = { user: jane, more: mayList("*", "*") };

  test.each<[string, readonly string[]]>([
    ["by default", []],
    ["--probe", ["--probe"]],
    ["--probe=all", ["--probe=all"]],
  ])("%s: dry runs alone, and what they proved is shown", async (_, words) => {
    const played = await play([...words, "-o", "json"]);
    const { webhook, verdict } = documentOf(played).details;
    expect([played.code, played.calls.filter(({ writes }) => writes)]).toEqual([0, []]);
    expect(webhook).toMatchObject({
      probe: { proven: true, says: expect.stringContaining(seen) as string },
      verdict: { is: "fine", says: expect.stringContaining(seen) as string },
    });
    expect(verdict).toBe("fine");
  });

  test("--no-probe sends nothing: what was not seen is not known", async () => {
    const played = await play(["--no-probe", "-o", "json"]);
    const { webhook, verdict } = documentOf(played).details;
    expect([played.code, sentDryRuns(played), verdict]).toEqual([0, [], "unknown"]);
    expect(webhook).toMatchObject({
      probe: { proven: false, says: "not probed (--no-probe)" },
      verdict: { is: "unknown", unproven: "unwanted" },
    });
    expect(webhook.verdict).toHaveProperty("because", expect.stringContaining(notSeen));
  });

  test("who may not create is told so, and no edit is sent", async () => {
    const played = await play(["-o", "json"], reader);
    const { webhook } = documentOf(played).details;
    const says = `not probed (may not create ${names.edb.plural}.${names.group} in namespace engine)`;
    expect([played.code, sentDryRuns(played)]).toEqual([0, []]);
    expect(webhook.probe).toEqual({ proven: false, says });
    expect(webhook.verdict).toMatchObject({ is: "unknown", unproven: "forbidden" });
    expect(webhook.verdict).toHaveProperty("because", expect.stringContaining(notSeen));
  });

  test.each<[string, readonly string[], Play, readonly [code: number, reason: string]]>([
    ["all is seen to be healthy", [], {}, [0, "everything is healthy"]],
    [
      "the user may not send what would show it",
      [],
      reader,
      [
        4,
        `whether the webhook is healthy cannot be seen: not probed (may not create ${names.edb.plural}.${names.group} in namespace engine)`,
      ],
    ],
    ["it was not to be seen", ["--no-probe"], {}, [0, "not all could be read: Webhook"]],
    ["the same of one who may only read", ["--no-probe"], reader, [0, "not all could be read: "]],
  ])("--until healthy ends at once where %s", async (_, words, scene, [code, reason]) => {
    let waits = 0;
    const played = await play(["--until", "healthy", ...words, "-o", "json"], {
      ...scene,
      between: () => {
        waits += 1;
      },
    });
    const lists = played.calls.filter(({ subject }) => subject === names.edb.plural);
    const { exit } = documentOf(played);
    expect([played.code, exit.code, lists.length]).toEqual([code, code, 1]);
    expect(exit.reason).toContain(reason);
    expect(played.calls.filter(({ writes }) => writes)).toEqual([]);
    if (words.length > 0) expect(waits).toBe(0);
  });

  test("--until healthy --no-probe waits for all others", async () => {
    const metadata = { name: "edb-role", namespace: "shop" };
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: [] };
    const words = ["--until", "healthy", "--no-probe", "--timeout", "5s", "-o", "json"];
    const played = await play(words, { more: [role] });
    expect([played.code, sentDryRuns(played)]).toEqual([124, []]);
  });

  test("a watch sends it once a minute, and an age that passes is no change", async () => {
    const played = await play(["--watch", "--timeout", "130s"]);
    const count = (subject: string): number =>
      played.calls.filter((call) => call.subject === subject).length;
    expect(count(`whether to create ${names.edb.plural}`)).toBe(3);
    expect(count("customresourcedefinitions")).toBeGreaterThan(25);
    const told = played.out.split("\n").filter((line) => line.includes(" Webhook: "));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(seen);
  });

  test("each change is one document, whatever the age of the probe", async () => {
    const played = await play(["--watch", "--timeout", "130s", "-o", "jsonl"]);
    expect(documentsOf(played).map(({ exit }) => exit.code)).toEqual([0, 124]);
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
    ["west behind --probe", ["west"], 1],
  ])("%s: it and its databases alone", async (title, shown, count) => {
    const [name = "", ...flags] = title.replace(" behind ", " ").split(" ");
    const words = [...flags, name, "-o", "json"];
    const { details } = documentOf(await play(words, { more: anotherEc() }));
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

/** The Role and the RoleBinding that the operator has in its own namespace. */
const isOwnAccess = ({ kind, metadata: { name, namespace } }: KubeObject): boolean =>
  namespace === "engine" &&
  ((kind === "Role" && name === names.operator.role) ||
    (kind === "RoleBinding" && name === names.operator.roleBinding));

test("without the operator's own Role its permissions have stalled, as check finds them", async () => {
  const { details, exit } = documentOf(await play(["-o", "json"], { without: isOwnAccess }));
  const { code, fix } = rbacFindings.ownAbsent;
  expect(details.rbac.verdict).toMatchObject({ is: "stalled", code, fix });
  expect(details.findings.first.map((one) => one.code)).toEqual([code]);
  expect(exit.reason).toBe("stalled: RBAC");
  expect(details.next?.says).toContain(fix);
});

/** The operator once more, in a namespace of its own. */
function secondOperator(): readonly KubeObject[] {
  const metadata = { name: "data" };
  const operator = objects.find(
    (one) => one.kind === "Deployment" && one.metadata.name === names.operator.deployment,
  );
  if (operator === undefined) throw new Error("the example has no operator");
  const { role, roleBinding, serviceAccount } = names.operator;
  const own = objects
    .filter((one) => isOwnAccess(one))
    .map((one) => ({
      ...one,
      metadata: { name: one.kind === "Role" ? role : roleBinding, namespace: "data" },
      ...("subjects" in one && {
        subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace: "data" }],
      }),
    }));
  return [
    ...own,
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

  test("the webhook of each is tried, as its own namespace serves it", async () => {
    const { webhook, group, edb } = names;
    const any = ["*"];
    const serving: KubeObject = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: webhook.configuration },
      webhooks: [
        {
          name: webhook.entry,
          clientConfig: { service: { name: webhook.service, namespace: "data" }, caBundle: testCa },
          sideEffects: "None",
          rules: [
            { apiGroups: [group], apiVersions: any, operations: any, resources: [edb.plural] },
          ],
        },
      ],
    };
    const more = [...secondOperator(), serving];
    const without = ({ metadata: { name } }: KubeObject): boolean =>
      name === webhook.oldConfiguration;
    const servers = { [`data/${webhook.service}`]: permissive };
    const played = await play(["-A", "-o", "json"], { more, without, servers });
    const { namespaces } = everywhereIn(played);
    expect(namespaces.map((one) => [one.namespace, one.webhook.probe?.says])).toEqual([
      ["data", "an edit that must be refused passes: no webhook in force refuses it"],
      ["engine", "no configuration of this namespace can be probed"],
    ]);
    const places = sentDryRuns(played).map(({ target }) => target?.namespace);
    expect([...new Set(places)]).toEqual(["data"]);
    expect(played.calls.filter(({ writes }) => writes)).toEqual([]);
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
