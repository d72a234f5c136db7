/** `kubectl engine upgrade-operator --release` on a real API server, over a real `kubectl apply`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath, getOwn } from "../../plugin/domain/base/values";
import { renderDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { spelledOtherwise } from "../support/releases/spellings";
import { bundleOf, packRelease, writeFiles, writeRelease } from "../support/releases/tree";
import { releaseShapes, type ReleaseVersion } from "../support/releases/versions";
import { makeServiceAddress } from "./api-server";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import type { KubeObject } from "./api";
import { IndependentReader, ownersOf } from "./independent-reader";
import { playAt } from "./played-operator";
import { including, type PluginRun, runner, runPlugin } from "./plugin-run";
import { cluster, clusterStatus, untilServed } from "./scene";
import { expectStored, shownBy } from "./shown";

const { deployment: operator } = names.operator;

let controlPlane: ControlPlane;
let folder = "";

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  folder = mkdtempSync(join(tmpdir(), "releases-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

const release = (version: ReleaseVersion): string => writeRelease(join(folder, version), version);

/** S16 as it is documented: the client's own apply command. */
async function applied(namespace: string, version: ReleaseVersion): Promise<void> {
  await controlPlane.api.create(namespaceNamed(namespace));
  await kubectl(["apply", "-n", namespace, "-f", "-"], renderDocuments(bundleOf(version)));
}

async function kubectl(args: readonly string[], input = ""): Promise<void> {
  const { code, stderr } = await controlPlane.kubectl(args, { input });
  if (code !== 0) throw new Error(stderr);
}

/**
 * Takes their finalizer away, as none has objects: soon after a change of a definition the API
 * server may find its storage "(re)initializing", and then it does not end the deletion.
 */
async function deleteDefinitions(): Promise<void> {
  const all = ["customresourcedefinitions", "-o", "name"];
  const { stdout } = await controlPlane.kubectl(["get", ...all]);
  if (stdout === "") return;
  const definitions = stdout.trim().split("\n");
  await kubectl(["delete", ...definitions, "--wait=false"]);
  // It fails for those that are gone already.
  const freed = ["--type=merge", "-p", '{"metadata":{"finalizers":null}}'];
  await controlPlane.kubectl(["patch", ...definitions, ...freed]);
  expect(await controlPlane.kubectl(["get", ...all])).toMatchObject({ code: 0, stdout: "" });
}

function upgrade(namespace: string, args: readonly string[]): Promise<PluginRun> {
  return runPlugin(controlPlane, ["upgrade-operator", "--timeout=60s", ...args], { namespace });
}

async function stored(kind: string, namespace: string): Promise<KubeObject> {
  const object = bundleOf("8.0.2-2").find((one) => one.kind === kind);
  if (object === undefined) throw new Error(`no ${kind} in the bundle`);
  const placed = { ...object, metadata: { name: operator, ...object.metadata, namespace } };
  const found = await controlPlane.api.read(placed);
  if (found === undefined) throw new Error(`no ${kind} in ${namespace}`);
  return found;
}

test("from a bundle that kubectl applied, over 7.22.0-7, to 8.0.2-2, and then nothing", async () => {
  await applied("engine", "7.4.2-2");
  const end = await playAt(controlPlane, "engine");
  try {
    const dry = await upgrade("engine", ["--release", release("7.22.0-7"), "--dry-run=server"]);
    expect([dry.code, dry.writes]).toEqual([0, []]);
    const planned = (dry.report.steps ?? []).filter(({ result }) => result === "planned");
    const words = ["upgrade-operator", "--release", release("7.22.0-7")];
    const shown = await shownBy(controlPlane, words);
    expect(shown).toHaveLength(planned.length);
    const first = await upgrade("engine", ["--release", release("7.22.0-7")]);
    await expectStored(controlPlane.api, shown);
    expect([first.code, first.report.exit.reason]).toEqual([
      0,
      "the operator is at 7.22.0-7: 1/1 ready, 1 up to date, 1 available",
    ]);
    expect(first.writes).toHaveLength(planned.length);
    const archive = await packRelease(join(folder, "8.0.2-2.tar.gz"), "8.0.2-2");
    const second = await upgrade("engine", ["--release", archive, "--target", "v8.0.2-2"]);
    expect(second.code).toBe(0);
    const again = await upgrade("engine", ["--release", archive]);
    expect([again.code, again.writes]).toEqual([0, []]);
  } finally {
    await end();
  }
  const deployment = await stored("Deployment", "engine");
  const containers = getPath(deployment, ["spec", "template", "spec", "containers"]) as unknown[];
  const image = `${names.images.operator}:8.0.2-2`;
  expect(containers.map((container) => getOwn(container, "image"))).toEqual([image, image]);
  expect(JSON.stringify(containers)).not.toContain("DEPLOY_RHEL");
  const independent = await new IndependentReader(controlPlane).deployment("engine", operator);
  expect(independent.spec?.template.spec?.containers.map((one) => one.image)).toEqual([
    image,
    image,
  ]);
  expect(independent.spec?.replicas).toBe(getPath(deployment, ["spec", "replicas"]));
  expect(ownersOf(independent.metadata?.managedFields, "image")).toContain(
    `${names.fieldManager} Apply`,
  );
  const wanted = bundleOf("8.0.2-2").find(({ kind }) => kind === "Role") as object;
  expect(getOwn(await stored("Role", "engine"), "rules")).toEqual(getOwn(wanted, "rules"));
});

test("what kubectl edit, scale and set changed is listed at once, and nothing is written", async () => {
  await applied("local", "7.22.0-7");
  for (const words of [
    ["scale", "deployment", operator, "--replicas=2"],
    ["set", "env", `deployment/${operator}`, "OPERATOR_NAME=mine"],
    ["label", "service", names.webhook.service, "app=mine", "--overwrite"],
  ]) {
    await kubectl([...words, "-n", "local"]);
  }
  const run = await upgrade("local", ["--release", release("8.0.2-2")]);
  expect([run.code, run.writes]).toEqual([5, []]);
  const fields = (run.report.findings ?? []).map(
    ({ object, field }) => `${object ?? ""} ${field ?? ""}`,
  );
  const env = (name: string): string =>
    `Deployment/local/${operator} .spec.template.spec.containers[name="${name}"].env[name="OPERATOR_NAME"].value`;
  expect([...fields].sort()).toEqual(
    [
      `Service/local/${names.webhook.service} .metadata.labels.app`,
      `Deployment/local/${operator} .spec.replicas`,
      env(names.operator.container),
      env(names.operator.admissionContainer),
    ].sort(),
  );
  const take = (run.report.findings ?? []).flatMap(({ field }) => ["--take-fields", field ?? ""]);
  const end = await playAt(controlPlane, "local");
  try {
    const taken = await upgrade("local", ["--release", release("8.0.2-2"), ...take]);
    expect(taken.code).toBe(0);
  } finally {
    await end();
  }
  expect(JSON.stringify(await stored("Deployment", "local"))).not.toContain("mine");
});

test("what the API server never changes is in the plan, and goes by the lines that are printed", async () => {
  const labels = { name: operator, "app.kubernetes.io/part-of": "earlier" };
  await controlPlane.api.create(namespaceNamed("fixed"));
  const earlier = bundleOf("7.22.0-7").map((object) => {
    const spec = object["spec"] as object;
    if (object.kind === "RoleBinding") {
      return { ...object, roleRef: { ...(object["roleRef"] as object), name: "earlier" } };
    }
    if (object.kind === "Service") return { ...object, spec: { ...spec, clusterIP: "None" } };
    if (object.kind !== "Deployment") return object;
    const template = { ...(getPath(spec, ["template"]) as object), metadata: { labels } };
    return { ...object, spec: { ...spec, selector: { matchLabels: labels }, template } };
  });
  await kubectl(["apply", "-n", "fixed", "-f", "-"], renderDocuments(earlier));
  // it tells where the operator belongs while its Deployment is away
  await createCluster("fixed", "7.22.0-7");
  const later = bundleOf("8.0.2-2").map((object) =>
    object.kind === "Service"
      ? { ...object, spec: { ...(object["spec"] as object), clusterIP: makeServiceAddress(77) } }
      : object,
  );
  const from = writeFiles(writeRelease(join(folder, "fixed"), "8.0.2-2"), {
    "deploy/bundle.yaml": renderDocuments(later),
  });
  for (const dryRun of [["--dry-run=client"], ["--dry-run=server"], []]) {
    const run = await upgrade("fixed", ["--release", from, ...dryRun]);
    const found = (run.report.findings ?? []).filter(({ severity }) => severity === "error");
    expect([run.code, run.writes]).toEqual([3, []]);
    expect(found.map(({ code, field }) => [code, field])).toEqual([
      ["OPERATOR-FIXED-FIELD", ".roleRef"],
      ["OPERATOR-FIXED-FIELD", ".spec.clusterIP"],
      ["OPERATOR-FIXED-FIELD", ".spec.selector"],
    ]);
    if (dryRun.length > 0) continue;
    for (const { command = "" } of found) {
      await kubectl(command.split(" && kubectl ").at(-1)?.split(" ") ?? []);
    }
  }
  const end = await playAt(controlPlane, "fixed");
  try {
    const done = await upgrade("fixed", ["--release", from]);
    const errors = (done.report.findings ?? []).filter(({ severity }) => severity === "error");
    expect([done.code, errors]).toEqual([0, []]);
  } finally {
    await end();
  }
});

test("an older operator beside a newer one leaves their definitions as they are", async () => {
  await applied("older", "7.4.2-2");
  const newer = await upgrade("engine", ["--release", release("8.0.2-2"), "--timeout=1s"]);
  expect([0, 124]).toContain(newer.code);
  const definition = bundleOf("8.0.2-2").find(({ kind }) => kind === "CustomResourceDefinition");
  const before = await controlPlane.api.read(definition as KubeObject);
  const end = await playAt(controlPlane, "older");
  try {
    const run = await upgrade("older", ["--release", release("7.22.0-7")]);
    expect(run.code).toBe(0);
    const codes = run.report.findings?.map(({ code }) => code);
    expect(codes).toEqual(including("OPERATOR-CRD-NEWER", "DEFINITION-SHARED"));
  } finally {
    await end();
  }
  expect(await controlPlane.api.read(definition as KubeObject)).toEqual(before);
});

/** What a run finds, but that the operators of the other tests share its definitions. */
const ownCodes = ({ report: { findings = [] } }: PluginRun): readonly string[] =>
  findings.map(({ code }) => code).filter((code) => code !== "DEFINITION-SHARED");

test("an operator that does not come ends with the cause, and can be put back", async () => {
  await applied("image", "7.22.0-7");
  const end = await playAt(controlPlane, "image", { operatorImagePull: true });
  let run: PluginRun;
  try {
    run = await upgrade("image", ["--release", release("8.0.2-2")]);
  } finally {
    await end();
  }
  expect([run.code, ownCodes(run)]).toEqual([1, ["OPERATOR-IMAGE-PULL"]]);
  const [last] = run.report.backups ?? [];
  const { code, stderr } = await controlPlane.kubectl((last?.command ?? "").split(" ").slice(1));
  expect([code, stderr]).toEqual([0, ""]);
});

/** A bundle that spells values in its own way: what the API server makes of them is no local change. */
const bundle = (version: ReleaseVersion): string =>
  renderDocuments(bundleOf(version).map(spelledOtherwise));

const spelledRelease = (): string =>
  writeFiles(join(folder, "spelled"), { "bundle.yaml": bundle("8.0.2-2") });

describe.each([
  ["apply", [["apply"]]],
  ["create", [["create"]]],
  ["create --save-config", [["create", "--save-config"]]],
  ["apply and replace", [["apply"], ["replace"]]],
  ["apply --server-side", [["apply", "--server-side"]]],
] as const)("kubectl %s", (way, commands) => {
  const namespace = way.replaceAll(/\W+/g, "-");
  const raise = (): Promise<PluginRun> => upgrade(namespace, ["--release", spelledRelease()]);
  const setCpu = (cpu: string): Promise<void> => {
    const words = [`deployment/${operator}`, `--limits=cpu=${cpu}`, "-n", namespace];
    return kubectl(["set", "resources", ...words]);
  };

  beforeAll(async () => {
    await controlPlane.api.create(namespaceNamed(namespace));
    await deleteDefinitions();
    for (const words of commands) {
      await kubectl([...words, "-n", namespace, "-f", "-"], bundle("7.4.2-2"));
    }
  });

  test("a change by a person is told, and nothing is written", async () => {
    await setCpu("3");
    const run = await raise();
    expect([run.code, run.writes]).toEqual([5, []]);
    const { container, admissionContainer } = names.operator;
    const fields = [container, admissionContainer].map(
      (name) => `.spec.template.spec.containers[name="${name}"].resources.limits.cpu`,
    );
    const found = run.report.findings?.map(({ code, field }) => [code, field]);
    expect(found?.toSorted()).toEqual(
      fields.toSorted().map((field) => ["OPERATOR-LOCAL-CHANGE", field]),
    );
  });

  test("what says the same in other words is none: it goes up, and then nothing", async () => {
    await setCpu("4");
    const end = await playAt(controlPlane, namespace);
    try {
      const run = await raise();
      expect([run.code, ownCodes(run)]).toEqual([0, []]);
      const again = await raise();
      expect([again.code, again.writes]).toEqual([0, []]);
    } finally {
      await end();
    }
  });
});

test("a field that a person added to a definition stays, and is told", async () => {
  const definition = `customresourcedefinitions/${names.ec.plural}.${names.group}`;
  const field = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/tier";
  const add = [{ op: "add", path: field, value: { type: "string", maxLength: 9 } }];
  await controlPlane.api.create(namespaceNamed("added"));
  await deleteDefinitions();
  await kubectl(["apply", "-n", "added", "-f", "-"], bundle("7.4.2-2"));
  await kubectl(["patch", definition, "--type=json", "-p", JSON.stringify(add)]);
  const end = await playAt(controlPlane, "added");
  try {
    const run = await upgrade("added", ["--release", spelledRelease()]);
    expect([run.code, ownCodes(run)]).toEqual([0, ["OPERATOR-CRD-LOCAL"]]);
  } finally {
    await end();
  }
  const { stdout } = await controlPlane.kubectl(["get", definition, "-o", "json"]);
  expect(stdout).toContain('"tier"');
});

test("what is stored in a version that goes is stored again by the line that is printed", async () => {
  const name = `${names.ec.plural}.${names.group}`;
  const places = ["stored", "stored-elsewhere"];
  for (const namespace of places) await controlPlane.api.create(namespaceNamed(namespace));
  await deleteDefinitions();
  await kubectl(["apply", "-n", "stored", "-f", "-"], renderDocuments(bundleOf("7.4.2-2")));
  for (const namespace of places) await createCluster(namespace, "7.4.2-2");
  // the API server stores in v1 from here on, beside what is stored in v1alpha1
  const newer = bundleOf("8.0.2-2").filter(({ metadata }) => metadata.name === name);
  await kubectl(["apply", "-f", "-"], renderDocuments(newer));
  const withoutOld = bundleOf("8.0.2-2").map((object) => {
    if (object.metadata.name !== name) return object;
    const gained = JSON.stringify(object).replaceAll(
      '"nodes":{',
      '"tier":{"type":"string"},"nodes":{',
    );
    const { spec, ...rest } = JSON.parse(gained) as KubeObject & {
      readonly spec: { readonly versions: readonly { readonly name: string }[] };
    };
    const versions = spec.versions.filter((version) => version.name === "v1");
    return { ...rest, spec: { ...spec, versions } };
  });
  const later = writeFiles(writeRelease(join(folder, "without-old"), "8.0.2-2"), {
    "deploy/bundle.yaml": renderDocuments(withoutOld),
  });
  const end = await playAt(controlPlane, "stored");
  try {
    const refused = await upgrade("stored", ["--release", later]);
    const stored = refused.report.findings?.find(({ code }) => code === "OPERATOR-CRD-STORED");
    expect([refused.code, refused.writes, stored?.object]).toEqual([
      3,
      [],
      `CustomResourceDefinition/${name}`,
    ]);
    await runSaving(stored?.command ?? "");
    const done = await upgrade("stored", ["--release", later]);
    const errors = (done.report.findings ?? []).filter(({ severity }) => severity === "error");
    expect([done.code, errors]).toEqual([0, []]);
  } finally {
    await end();
  }
  // an object that is still stored in the version that is gone could not be read
  const { code, stdout } = await controlPlane.kubectl(["get", name, "-A", "-o", "name"]);
  expect([code, stdout.trim().split("\n")]).toEqual([
    0,
    places.map(() => "engineenterprisecluster.app.engine.com/ec"),
  ]);
});

/** An EC that is Running at the release of its operator. */
async function createCluster(namespace: string, version: ReleaseVersion): Promise<void> {
  await untilServed(controlPlane.api);
  const { spec, ...ec } = cluster({ namespace });
  const image = { repository: "engine/engine", versionTag: releaseShapes[version].cluster };
  const engineEnterpriseImageSpec = { ...image, imagePullPolicy: "IfNotPresent" };
  await controlPlane.api.create({
    ...ec,
    spec: { ...(spec as object), engineEnterpriseImageSpec },
  });
  await controlPlane.api.writeStatus(ec, clusterStatus);
}

/** Runs the commands of a line, the first of which writes a file that the second one reads. */
async function runSaving(line: string): Promise<void> {
  let saved = "";
  for (const command of line.split(" && ")) {
    const [words = "", file] = command.replaceAll("'", "").split(" > ");
    const [program, ...args] = words.split(" ");
    expect(program).toBe("kubectl");
    const read = args.map((word) => (word.endsWith(".yaml") ? "-" : word));
    const { code, stdout, stderr } = await controlPlane.kubectl(read, { input: saved });
    expect([code, stderr]).toEqual([0, ""]);
    if (file !== undefined) saved = stdout;
  }
}
