/** A swap whose proof fails ends with 7 and leaves what was there before. */
import { readFileSync } from "node:fs";
import { containing, matching, type PluginRun, runner } from "./plugin-run";
import { database } from "./scene";
import { type KubeObject, pathOf } from "./api";
import { openSuite, type Suite, verdictsOf } from "./suite";
import {
  applied,
  clear,
  deleted,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import type { Conduct } from "./stand-in-webhook";
import { until } from "./until";
import { newConfigurationName, newEntryName, oldEntryName } from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite({ server: "stand-in" });
});
afterAll(() => suite.close());

/** The template of a release whose webhook behaves as given: the stand-in goes by the path. */
function templateTo(conduct: Conduct): string {
  return readFileSync(templateFile, "utf8").replace("path: /admission", `path: /${conduct}`);
}

function swapTo(conduct: Conduct, args: readonly string[] = []): Promise<PluginRun> {
  return runSwap(suite.controlPlane, ["--template", "-", ...args], { input: templateTo(conduct) });
}

const everyKind = [
  "engineenterprisedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseremoteclusters",
];
const removed = `delete ${newConfigurationName}`;

interface Row {
  readonly name: string;
  readonly found: (suite: Suite) => Promise<unknown>;
  readonly conduct: Conduct;
  readonly writes: readonly string[];
  readonly says: RegExp;
  /** Who refuses wrong edits before and after. */
  readonly guard: string | undefined;
}

const rows: readonly Row[] = [
  {
    name: "a working old one, and a webhook that allows everything",
    found: ({ api, scene }) => putOldConfiguration(api, scene),
    conduct: "allows",
    writes: [applied, removed],
    says: /must be refused passes|no refusal by/,
    guard: oldEntryName,
  },
  {
    name: "a working old one, and a webhook that refuses everything",
    found: ({ api, scene }) => putOldConfiguration(api, scene),
    conduct: "refuses",
    writes: [applied, removed],
    says: /must pass is refused by redisenterprise\.admission\.engine/,
    guard: oldEntryName,
  },
  {
    name: "a working new one, and a release whose webhook never answers",
    found: ({ api, scene }) => putNewConfiguration(api, scene),
    conduct: "silent",
    writes: [applied, applied],
    says: /does not answer/,
    guard: newEntryName,
  },
  {
    name: "a broken old one that matches every kind, and a webhook that allows everything",
    found: ({ api, scene }) =>
      putOldConfiguration(api, scene, {
        changes: { caBundle: "", rule: { resources: everyKind } },
      }),
    conduct: "allows",
    writes: [applied, deleted, "create edb-admission", removed],
    says: /must be refused passes/,
    guard: undefined,
  },
];

describe("the proof fails", () => {
  test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await row.found(suite);
    await settle(api, scene);
    const before = await readBack(controlPlane);

    const run = await swapTo(row.conduct);

    expect(run.report.exit).toMatchObject({ code: 7, reason: matching(row.says) });
    expect(run.writes).toEqual(row.writes);
    const after = await readBack(controlPlane);
    expect(contentOf(after.old)).toEqual(contentOf(before.old));
    expect(contentOf(after.current)).toEqual(contentOf(before.current));
    await settle(api, scene);
    if (row.guard !== undefined) {
      expect(await verdictsOf(api, scene.namespace)).toEqual({
        right: "accepted",
        wrongRefusedBy: row.guard,
      });
      const proof = run.report.probes?.find(({ phase }) => phase === "rolled-back");
      expect(proof?.deny).toMatchObject({ by: row.guard });
    }
  });
});

/** All that a person wrote: what the server counts is another after a rollback. */
function contentOf(configuration: KubeObject | undefined): unknown {
  if (configuration === undefined) {
    return undefined;
  }
  const { labels, annotations } = configuration.metadata;
  return { labels, annotations, webhooks: configuration["webhooks"] };
}

const policyName = "someone-else";
const policyRef = (kind: string): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name: policyName },
});
/** Refuses edits of the product's kinds before any webhook is asked. */
async function putPolicy(
  operations: readonly string[],
  validation: Readonly<Record<string, string>>,
): Promise<void> {
  const { api } = suite;
  await api.create({
    ...policyRef("ValidatingAdmissionPolicy"),
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["app.engine.com"],
            apiVersions: ["*"],
            operations,
            resources: ["*"],
          },
        ],
      },
      validations: [validation],
    },
  });
  await api.create({
    ...policyRef("ValidatingAdmissionPolicyBinding"),
    spec: { policyName, validationActions: ["Deny"] },
  });
}
afterEach(async () => {
  for (const kind of ["ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"]) {
    await suite.api.remove(policyRef(kind));
  }
});

describe("someone else refuses", () => {
  /** Refuses whatever the plugin edits in one of these ways. */
  async function putStranger(operations: readonly string[]): Promise<void> {
    const { api, controlPlane, scene } = suite;
    await putPolicy(operations, {
      expression: `request.userInfo.username != "${runner.name}"`,
      message: "someone else says no",
    });
    const kubeconfig = controlPlane.kubeconfigFor(runner.name);
    const edit = ["annotate", "edb", "orders", "-n", scene.namespace, "--dry-run=server", "a=b"];
    const make = ["create", "--dry-run=server", "-f", "-"];
    const input = JSON.stringify({
      ...(await api.read(databaseRef)),
      metadata: { name: "policy-check", namespace: scene.namespace },
    });
    await until("the policy to be in force", async () => {
      const wanted = operations.includes("UPDATE")
        ? await controlPlane.kubectl(edit, { kubeconfig })
        : await controlPlane.kubectl(make, { kubeconfig, input });
      return wanted.stderr.includes("someone else says no") || undefined;
    });
  }
  const databaseRef = {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseDatabase",
    metadata: { name: "orders", namespace: "engine" },
  };

  test("new objects: a stored database proves it", async () => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
    await putStranger(["CREATE"]);
    const run = await swapTo("judges");
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied, deleted]);
    expect((await readBack(controlPlane)).old).toBeUndefined();
  });

  test("every edit: 7, and it is named", async () => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putNewConfiguration(api, scene, { changes: { service: { path: "/judges" } } });
    await settle(api, scene);
    await putStranger(["CREATE", "UPDATE"]);
    const before = await readBack(controlPlane);
    const run = await swapTo("judges");
    expect(run.report.exit).toMatchObject({
      code: 7,
      reason: containing("someone else says no"),
    });
    expect(run.writes).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});

describe("a policy refuses one of the bad edits", () => {
  const posing = `admission webhook "${newEntryName}" denied the request: nobody supports this`;
  test.each([
    ["in the entry's own words", posing],
    ["in its own words", "nobody supports this"],
  ])("%s: 7, and the policy is named", async (_title, message) => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putPolicy(["CREATE"], {
      expression: 'object.spec.?engineVersion.orValue("") != "0.0"',
      message,
    });
    await until("the policy to be in force", async () => {
      const wrong = database({
        namespace: scene.namespace,
        name: "policy-check",
        engineVersion: "0.0",
      });
      const { body } = await api.send("POST", `${pathOf(wrong, "collection")}?dryRun=All`, {
        body: wrong,
      });
      return JSON.stringify(body).includes("nobody supports this") || undefined;
    });
    const run = await swapTo("allows");
    expect(run.report.exit).toMatchObject({
      code: 7,
      reason: containing(`ValidatingAdmissionPolicy '${policyName}'`),
    });
    expect(run.writes).toEqual([applied, removed]);
    expect((await readBack(controlPlane)).current).toBeUndefined();
  });
});

describe("nothing to write, and nobody listens behind ready endpoints", () => {
  test("ends with 7 and writes nothing", async () => {
    const { controlPlane, api, scene } = suite;
    await suite.stopServer();
    await putNewConfiguration(api, scene, { changes: { service: { path: "/judges" } } });
    await settle(api, scene);
    const before = await readBack(controlPlane);
    const run = await swapTo("judges");
    expect(run.report.exit).toMatchObject({
      code: 7,
      reason: containing("connection refused"),
    });
    expect(run.writes).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});

describe("--no-probe", () => {
  test("goes without proof, and says so", async () => {
    const { controlPlane, api, scene } = suite;
    await suite.stopServer();
    await clear(api, scene);
    const run = await swapTo("judges", ["--no-probe"]);
    expect(run.report.exit.code).toBe(0);
    expect(run.report.findings?.map(({ code }) => code)).toContain("PROBE-SKIPPED");
    expect(run.writes).toEqual([applied]);
    expect((await readBack(controlPlane)).current).toBeDefined();
  });
});
