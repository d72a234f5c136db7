/**
 * The way from the API server to the webhook, broken at each link in turn on a real API server: check,
 * status and upgrade-webhook name the same link, and the printed line repairs it or shows what a
 * person has to see.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPath } from "../../plugin/domain/base/values";
import { wayLinks } from "../../plugin/domain/admission/way";
import { webhookFindings } from "../../plugin/domain/admission/findings";
import { openPolicies, shutPolicies } from "../plugin/domain/admission/policy-rows";
import { furtherBroken, furtherPairs, furtherWhole } from "../plugin/domain/admission/way-cases";
import {
  type Broken,
  brokenPairs as firstPairs,
  brokenWays as firstBroken,
  type Scene as WayScene,
  webhookPod,
  wholeWays as firstWhole,
  wire,
} from "../plugin/domain/admission/way-rows";
import { type Api, type KubeObject, pathOf } from "./api";
import {
  admissionSecret,
  caBundleOf,
  makePair,
  type UnfitSecret,
  unfitSecrets,
} from "./certificate";
import { kubectlEnv } from "./control-plane";
import {
  admissionEndpoints,
  admissionService,
  operatorDeployment,
  operatorName,
  writeOperatorStatus,
} from "./operator";
import {
  errorsIn,
  type PluginRun,
  runner,
  runPlugin,
  runPluginHere,
  writeLine,
} from "./plugin-run";
import { run } from "./run";
import { type Conduct, type StandIn, startStandIn } from "./stand-in-webhook";
import { openSuite, type Suite } from "./suite";
import { untilCalled } from "./swap-states";
import { newConfiguration, newEntryName } from "./webhook-configurations";
import { sampled } from "../support/sampled";

const namespace = "engine";
jest.setTimeout(300_000);

const brokenWays: Readonly<Record<string, Broken>> = {
  ...firstBroken,
  ...furtherBroken,
  ...shutPolicies,
};
const brokenPairs = [...firstPairs, ...furtherPairs];
const wholeWays = { ...firstWhole, ...furtherWhole, ...openPolicies };

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
}, 300_000);
afterAll(() => suite.close());

const labelOf = ({ kind, metadata }: KubeObject): string =>
  [kind, metadata.namespace, metadata.name].filter((one) => one !== undefined).join("/");

/** The objects of a way by their labels, until they are stored. */
class Draft implements WayScene {
  readonly objects = new Map<string, KubeObject>();

  add(...objects: readonly object[]): this {
    for (const one of objects as readonly KubeObject[]) {
      this.objects.set(labelOf(one), structuredClone(one));
    }
    return this;
  }

  remove(...labels: readonly string[]): this {
    for (const label of labels) this.objects.delete(label);
    return this;
  }

  set(label: string, path: string, value: unknown): this {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    const place = keys.reduce<unknown>(
      (object, key) => (object as Record<string, unknown>)[key],
      this.objects.get(label),
    );
    (place as Record<string, unknown>)[last] = structuredClone(value);
    return this;
  }
}

/** What the operator's namespace holds of the way, whole. */
function wholeDraft(): Draft {
  const { scene } = suite;
  const draft = new Draft().add(
    operatorDeployment(namespace),
    admissionService(namespace),
    admissionEndpoints(namespace),
    newConfiguration({ namespace, caBundle: scene.caBundle }),
  );
  wire(draft);
  return draft;
}

/** Labels of everything that an earlier row has left. */
const stored = new Map<string, KubeObject>();

/** Stores a draft in the place of the one before. */
async function lay(draft: Draft): Promise<void> {
  const { api } = suite;
  const gone = new Map(
    [...stored.values(), ...wholeDraft().objects.values()].map((one) => [labelOf(one), one]),
  );
  await Promise.all([...gone.values()].map((object) => api.remove(object)));
  stored.clear();
  for (const [label, object] of draft.objects) stored.set(label, object);
  await Promise.all([...draft.objects.values()].map((object) => store(api, object)));
}

async function store(api: Api, { status, ...object }: KubeObject): Promise<void> {
  await api.create(storable(object), "kubectl-create");
  if (object.kind === "Pod") await api.writeStatus(object, status as object);
  if (object.kind === "Deployment") await writeOperatorStatus(api, namespace);
}

/** With what the API server asks for: images of containers, and the address that is listened at. */
function storable(object: KubeObject): KubeObject {
  const spec = object["spec"] as Record<string, unknown>;
  if (object.kind === "Service" && spec["type"] !== "ExternalName") {
    return { ...object, spec: { ...spec, clusterIP: suite.scene.clusterIP } };
  }
  if (object.kind !== "Pod") return object;
  const pictured = (one: object): object => ({ image: "engine/operator:8.0.20-23", ...one });
  const lists = ["containers", "initContainers"].map((key) => [
    key,
    ((spec[key] ?? []) as readonly object[]).map(pictured),
  ]);
  return { ...object, spec: { ...spec, ...Object.fromEntries(lists) } };
}

/** Plays the controllers: a pod for a Deployment that has none, and the endpoints of the Service. */
async function playControllers(): Promise<void> {
  const { api } = suite;
  const deployment = await api.read(operatorDeployment(namespace));
  const listed = await api.send("GET", `/api/v1/namespaces/${namespace}/pods`);
  let pods = (listed.body as { readonly items: readonly KubeObject[] }).items;
  const own = (one: KubeObject): boolean => one.metadata.labels?.["name"] === operatorName;
  if (getPath(deployment, ["spec", "replicas"]) !== 0 && !pods.some(own)) {
    const pod = webhookPod(`${operatorName}-1`) as KubeObject;
    stored.set(labelOf(pod), pod);
    await store(api, pod);
    pods = [...pods, pod];
    await writeOperatorStatus(api, namespace);
  }
  const service = await api.read(admissionService(namespace));
  const asked = Object.entries(getPath(service, ["spec", "selector"]) ?? {});
  const ready = pods.filter(
    (pod) =>
      asked.length > 0 &&
      asked.every(([key, value]) => pod.metadata.labels?.[key] === value) &&
      getPath(pod, ["status", "conditions", "0", "status"]) !== "False",
  );
  // of a Service without a selector nobody but a person makes them
  if (asked.length > 0) await api.replace(admissionEndpoints(namespace, ready.length > 0));
}

/** Of so many rows one is told by the packed program, the others by the same entry in this process. */
const sample = 8;
let rows = 0;
let isPacked = true;
beforeEach(() => {
  isPacked = rows % sample === 0;
  rows += 1;
});

/** The packed program, and what it wrote. */
const packed = (...args: readonly string[]): Promise<PluginRun> =>
  runPlugin(suite.controlPlane, args, { namespace });

type Run = Omit<PluginRun, "writes">;

const plugin = (...args: readonly string[]): Promise<Run> =>
  isPacked ? packed(...args) : runPluginHere(suite.controlPlane, args, { namespace });

/** The process behind the Service answers whatever its objects say: here they alone are judged. */
const read = (command: "check" | "status"): Promise<Run> => plugin(command, "--no-probe");

/** What a run that is refused wrote: nothing else of this user is under way. */
async function swapped(): Promise<Pick<PluginRun, "code" | "report" | "writes">> {
  if (isPacked) return packed("upgrade-webhook", "--yes");
  const { controlPlane } = suite;
  const mark = await controlPlane.auditMark();
  const { code, report } = await plugin("upgrade-webhook", "--yes");
  const writes = await controlPlane.writesSince(mark, { user: runner.name });
  return { code, report, writes: writes.map(writeLine) };
}

/** A line as a shell takes it. */
function typed(
  line: string,
  cwd?: string,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const { site, kubeconfigFor } = suite.controlPlane;
  const env = kubectlEnv(site, kubeconfigFor(runner.name));
  return run("/bin/sh", ["-c", line], { env, ...(cwd !== undefined && { cwd }) });
}

const wayCodes: readonly string[] = [
  ...Object.values(brokenWays).map(({ code }) => code),
  webhookFindings.staleCa.code,
];

interface Told {
  readonly code: string;
  readonly severity: string;
  readonly object?: string;
  readonly fix: string;
  readonly command?: string;
}

function onWay({ report }: Run): readonly Told[] {
  return (report.findings ?? []).filter(({ code }) => wayCodes.includes(code));
}

interface Shown {
  readonly way: string;
  readonly verdict: { readonly is: string; readonly code?: string };
}

function shownBy({ report }: Run): Shown {
  return (report.details as { readonly webhook: Shown }).webhook;
}

/** Of one broken link: what is told by whom. */
async function expectTold(
  { at: link, code }: Pick<Broken, "at" | "code">,
  look: (command: "check" | "status") => Promise<Run> = read,
): Promise<Told> {
  const [check, status] = await Promise.all([look("check"), look("status")]);
  const told = onWay(check);
  expect([check.code, told.map((one) => one.code)]).toEqual([3, [code]]);
  const { way, verdict } = shownBy(status);
  expect(way).toMatch(new RegExp(`broken at the ${wayLinks[link]}$`));
  expect(verdict).toMatchObject({ is: "stalled", code });
  const [first] = told;
  if (first === undefined) throw new Error("nothing is told");
  return first;
}

/** What `upgrade-webhook` writes itself. */
const ownLinks: readonly string[] = ["configuration", "certificate"];

async function expectSwap({ at: link, code }: Pick<Broken, "at" | "code">): Promise<void> {
  if (ownLinks.includes(link)) return;
  const swap = await swapped();
  // what is wrong with the operator itself is told before its way
  const told = errorsIn(swap.report).filter((one) => !one.startsWith("OPERATOR-"));
  expect([swap.code, told, swap.writes]).toEqual([3, [code], []]);
}

const acts = /^kubectl (patch|label|scale|delete|engine) /;

/** What a person does first, where no line can. */
const decided = /^install |; (what|whose|if it stays|see)|: kubectl /;

/** Does what is printed; true where it is to have repaired the link. */
async function carryOut({ command, fix }: Told): Promise<boolean> {
  if (command === undefined) {
    expect(fix).toMatch(decided);
    return false;
  }
  const line = command.startsWith("kubectl engine") ? `${command} --yes` : command;
  const { code, stdout } = await typed(line);
  expect([line, code]).toEqual([line, 0]);
  const done = acts.test(line);
  if (done) await playControllers();
  else expect(stdout).not.toBe("");
  return done;
}

async function expectWhole(): Promise<void> {
  const [check, status] = await Promise.all([read("check"), read("status")]);
  expect(onWay(check)).toEqual([]);
  const { way } = shownBy(status);
  expect(way).toMatch(/^API server → admission:\d+/);
  expect(way).not.toContain("broken");
}

describe("a broken way", () => {
  test.each(sampled(Object.entries(brokenWays)))("%s", async (_, row) => {
    const draft = wholeDraft();
    row.change(draft);
    await lay(draft);
    const told = await expectTold(row);
    await expectSwap(row);
    if (await carryOut(told)) await expectWhole();
    else expect(told.fix).toMatch(decided);
  });

  test.each(sampled(brokenPairs))("%s, and %s", async (first, second) => {
    const rows = [first, second].map((name) => brokenWays[name] as Broken);
    const draft = wholeDraft();
    for (const [index, { change }] of rows.entries()) {
      if (index === 0 || first !== "no Service") change(draft);
    }
    await lay(draft);
    const codes = rows.map(({ code }) => code);
    for (const left of [2, 1]) {
      const [check, status] = await Promise.all([read("check"), read("status")]);
      const told = onWay(check);
      expect(codes).toEqual(expect.arrayContaining(told.map(({ code }) => code)));
      expect(told.length).toBeLessThanOrEqual(left);
      const [next] = told;
      if (next === undefined) break;
      const { verdict } = shownBy(status);
      expect(told.map(({ code }) => code)).toContain(verdict.code);
      const now = told.find(({ code }) => code === verdict.code) ?? next;
      if (!(await carryOut(now))) return;
    }
    await expectWhole();
  });
});

/** Stores a way that is broken as its row says. */
async function layBroken(name: string): Promise<Broken> {
  const row = brokenWays[name] as Broken;
  const draft = wholeDraft();
  row.change(draft);
  await lay(draft);
  await untilCalled(suite.api, suite.scene, { entry: newEntryName });
  return row;
}

describe("what is seen of a way", () => {
  test.each(["no path", "another path", "a path of the root", "a placeholder for the namespace"])(
    "the answer agrees: %s",
    async (name) => {
      await expectTold(await layBroken(name), plugin);
    },
  );

  test("the answer contradicts: a pod that is not ready", async () => {
    const { code } = await layBroken("a pod that is not ready");
    const [check, status] = await Promise.all([plugin("check"), plugin("status")]);
    expect(onWay(check)).toMatchObject([{ code, severity: "warning" }]);
    const { way, verdict } = shownBy(status);
    expect(way).not.toContain("broken");
    expect(verdict.is).toBe("fine");
  });
});

describe("a whole way", () => {
  test.each(sampled(Object.entries(wholeWays)))("%s", async (_, change) => {
    const draft = wholeDraft();
    change(draft);
    await lay(draft);
    await expectWhole();
  });
});

/** What the pair of the Secret lacks, and what tells of it. */
const unfit: Readonly<Partial<Record<UnfitSecret, string>>> = {
  "another private key": "CERT-KEY-MISMATCH",
  "cert is not PEM": "SECRET-NOT-PEM",
  "for clients only": "CERT-REFUSED",
  "no name of the service": "CERT-SAN",
  "not yet valid": "CERT-NOT-YET-VALID",
  expired: "CERT-EXPIRED",
};

describe("a certificate that no call is answered with", () => {
  afterEach(() => suite.api.replace(admissionSecret(namespace, suite.scene.pair)));

  test.each(Object.entries(unfit))("%s: %s", async (state, code) => {
    await lay(wholeDraft());
    await suite.api.replace(unfitSecrets[state as UnfitSecret](namespace));
    const check = await read("check");
    expect([check.code, errorsIn(check.report)]).toEqual([3, expect.arrayContaining([code])]);
    const { way, verdict } = shownBy(await read("status"));
    expect(way).toMatch(/broken at the certificate$/);
    expect(verdict).toMatchObject({ is: "stalled", code });
    const swap = await swapped();
    // what is wrong with the operator itself is told before its way
    const told = errorsIn(swap.report).filter((one) => !one.startsWith("OPERATOR-"));
    expect([swap.code, told, swap.writes]).toEqual([3, [code], []]);
    const { fix, command } = (check.report.findings ?? []).find((one) => one.code === code) as Told;
    // the clock may be wrong: of a pair that is not valid yet a person decides
    if (state !== "not yet valid") expect(command).toMatch(/^kubectl engine cert create --replace/);
    expect(fix).toContain("cert create --replace");
    const line = `kubectl engine cert create --replace --namespace=${namespace} --yes`;
    expect(await typed(line)).toMatchObject({ code: 0 });
    expect((await plugin("upgrade-webhook", "--yes", "--no-probe")).code).toBe(0);
    await expectWhole();
  });

  const old = (): string => makePair({ namespace }).cert;
  /** CAs of an entry by which what is served is trusted, and others by which it is not. */
  const bundles: Readonly<Record<string, readonly [holds: () => string, whole: boolean]>> = {
    "the certificate itself": [() => suite.scene.pair.cert, true],
    "a root of before, and the one of today": [() => `${old()}${suite.scene.pair.cert}`, true],
    "the one of today, and a root of before": [() => `${suite.scene.pair.cert}${old()}`, true],
    "a root of before": [old, false],
    "two roots of before": [() => `${old()}${old()}`, false],
  };

  test.each(Object.entries(bundles))("a caBundle of %s", async (_, [holds, whole]) => {
    const draft = wholeDraft();
    const label = "ValidatingWebhookConfiguration/engine-enterprise-admission";
    draft.set(label, "webhooks.0.clientConfig.caBundle", caBundleOf(holds()));
    await lay(draft);
    if (whole) await expectWhole();
    else
      await carryOut(await expectTold({ at: "certificate", code: webhookFindings.staleCa.code }));
    await expectWhole();
  });
});

/** A configuration that is not the product's, and what is told of it. */
interface OfOthers {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly kind?: string;
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly service?: Readonly<Record<string, unknown>>;
  readonly caBundle?: string;
}

interface StatusFindings {
  readonly findings: { readonly all: readonly object[] };
}

const gone = { namespace: "retired-gate" };
const policies = { name: "policies.example.com" };
const ofOthers: Readonly<Record<string, OfOthers>> = {
  "its namespace is gone": {
    ...{ code: "WEBHOOK-LEFTOVER", severity: "error", entry: policies, service: gone },
  },
  "its Service is gone": {
    ...{ code: "WEBHOOK-LEFTOVER", severity: "error", entry: policies },
    service: { name: "gate" },
  },
  "it mutates, and its namespace is gone": {
    ...{ code: "WEBHOOK-LEFTOVER", severity: "error", entry: policies, service: gone },
    kind: "MutatingWebhookConfiguration",
  },
  "its namespace is gone, and it is for some databases": {
    ...{ code: "WEBHOOK-LEFTOVER", severity: "warning", service: gone },
    entry: { ...policies, objectSelector: { matchLabels: { tier: "gold" } } },
  },
  "it has the entry's name and no CA": {
    ...{ code: "WEBHOOK-CA-STALE", severity: "error", caBundle: "" },
  },
  "it selects no namespace": {
    ...{ code: "WEBHOOK-SELECTS-NOTHING", severity: "warning", service: gone },
    entry: { ...policies, namespaceSelector: { matchLabels: { tier: "none" } } },
  },
};

describe("a configuration of others", () => {
  test.each(Object.entries(ofOthers))("%s", async (_, row) => {
    const { code, severity, kind = "ValidatingWebhookConfiguration", ...parts } = row;
    const made = newConfiguration({ namespace, caBundle: suite.scene.caBundle, ...parts });
    const other = { ...made, kind, metadata: { name: "others-gate" } };
    const object = labelOf(other);
    const draft = wholeDraft().add(other);
    await lay(draft);
    const told = async (): Promise<readonly Told[]> =>
      ((await plugin("check")).report.findings ?? []).filter((one) => one.object === object);
    const before = await told();
    expect(before.filter((one) => one.severity === severity)).toMatchObject([{ code }]);
    const { findings } = (await plugin("status")).report.details as StatusFindings;
    expect(findings.all).toContainEqual(expect.objectContaining({ code, object, severity }));
    const line = String(before.find((one) => one.code === code)?.command);
    const save = await mkdtemp(join(tmpdir(), "others-"));
    const { code: ended, stdout } = await typed(line, save);
    expect([line, ended]).toEqual([line, 0]);
    if (line.includes(" delete ")) {
      expect(await readdir(save)).toEqual(["others-gate.yaml"]);
      expect(await told()).toEqual([]);
    } else {
      expect(stdout).toContain("others-gate");
    }
    await rm(save, { recursive: true });
  });
});

test("an entry that someone added to the product's configuration is taken out alone", async () => {
  const { caBundle } = suite.scene;
  const draft = wholeDraft();
  const [added] = newConfiguration({
    ...{ namespace, caBundle, service: gone },
    entry: { name: "quotas.example.com" },
  })["webhooks"] as readonly object[];
  const label = "ValidatingWebhookConfiguration/engine-enterprise-admission";
  draft.set(label, "webhooks.1", added);
  await lay(draft);
  const told = async (): Promise<readonly Told[]> =>
    ((await plugin("check")).report.findings ?? []).filter((one) => one.object === label);
  const [first] = await told();
  expect(first).toMatchObject({ code: "WEBHOOK-LEFTOVER", severity: "error" });
  expect(shownBy(await plugin("status")).verdict).toMatchObject({ code: "WEBHOOK-LEFTOVER" });
  const swap = await swapped();
  expect([swap.code, errorsIn(swap.report), swap.writes]).toEqual([3, ["WEBHOOK-LEFTOVER"], []]);
  const save = await mkdtemp(join(tmpdir(), "others-"));
  const line = String(first?.command);
  expect([line, (await typed(line, save)).code]).toEqual([line, 0]);
  expect(await readdir(save)).toEqual(["engine-enterprise-admission.yaml"]);
  await rm(save, { recursive: true });
  const left = await suite.api.read(newConfiguration({ namespace, caBundle }));
  expect(getPath(left, ["webhooks"])).toMatchObject([{ name: newEntryName }]);
  await expectWhole();
});

/** How what is behind the Service misbehaves, and what tells of it. */
interface Misbehaving {
  readonly code: string;
  /** Undefined: nothing listens. */
  readonly conduct: Conduct | undefined;
  readonly isOther?: true;
  /** Of upgrade-webhook, which sees before a proof that nothing it writes would help: 3, else 7. */
  readonly exit?: 3;
}

const misbehaving: Readonly<Record<string, Misbehaving>> = {
  "nothing listens": { code: "WEBHOOK-NOT-ANSWERING", conduct: undefined },
  "it fails each call": { code: "WEBHOOK-NOT-ANSWERING", conduct: "fails" },
  "it answers nothing in time": { code: "WEBHOOK-UNREACHABLE", conduct: "silent" },
  "it refuses everything": { code: "WEBHOOK-REFUSES-ALL", conduct: "refuses" },
  "it allows everything": { code: "WEBHOOK-ALLOWS-ALL", conduct: "allows" },
  "it serves a certificate of another CA": {
    ...{ code: "WEBHOOK-SERVES-OTHER", conduct: "judges" },
    ...{ isOther: true, exit: 3 },
  },
};

/** The API server waits for an answer of the entry as long as it does by default. */
async function giveTime(api: Api): Promise<void> {
  const patch = [{ op: "replace", path: "/webhooks/0/timeoutSeconds", value: 10 }];
  const path = `${pathOf(newConfiguration({ namespace }))}?fieldManager=kubectl-patch`;
  const { status } = await api.send("PATCH", path, {
    body: patch,
    contentType: "application/json-patch+json",
  });
  expect(status).toBe(200);
}

describe("a webhook that answers wrong", () => {
  let server: StandIn | undefined;
  beforeAll(() => suite.stopServer());
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  test.each(Object.entries(misbehaving))("%s", async (_, { code, conduct, isOther, exit = 7 }) => {
    const { api, scene } = suite;
    const draft = wholeDraft();
    const label = "ValidatingWebhookConfiguration/engine-enterprise-admission";
    // short only where no answer is waited for: a stand-in on a busy machine answers later than that
    if (conduct === "silent") draft.set(label, "webhooks.0.timeoutSeconds", 2);
    await lay(draft);
    if (conduct !== undefined) {
      const pair = isOther === undefined ? scene.pair : makePair({ namespace });
      server = await startStandIn(scene.clusterIP, pair, conduct);
    }
    const status = shownBy(await plugin("status"));
    expect(status.verdict).toMatchObject({ is: "stalled", code });
    expect(status.way).toMatch(/broken at the answer$/);
    const swap = await plugin("upgrade-webhook", "--yes");
    expect([swap.code, errorsIn(swap.report)]).toEqual([exit, [code]]);
    const told = swap.report.findings?.find((one) => one.code === code) as Told;
    expect(told.fix).toMatch(/kubectl (rollout restart|get networkpolicies)/);
    const [line = ""] = /kubectl (rollout restart|get) [^;]*/.exec(told.fix) ?? [];
    expect([line, (await typed(line)).code]).toEqual([line, 0]);
    // the pods that it starts anew are at play
    await server?.close();
    server = await startStandIn(scene.clusterIP, scene.pair, "judges");
    if (conduct === "silent") await giveTime(api);
    await writeOperatorStatus(api, namespace);
    await untilCalled(api, scene, { entry: newEntryName });
    const after = await plugin("upgrade-webhook", "--yes");
    expect([after.code, errorsIn(after.report)]).toEqual([0, []]);
  });
});
