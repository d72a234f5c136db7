/** What the plan by chart announces, against what the real helm then does, object by object and field by field. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dropField, valueAt } from "../../plugin/domain/kube/differences";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { isObject, omit, sameJson } from "../../plugin/domain/base/values";
import type { Report } from "../../plugin/kernel/report";
import { writeChart } from "../support/releases/chart";
import { findProgram } from "./binaries";
import { type ControlPlane, runHelm, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import { playAt } from "./played-operator";
import { runner, runPlugin } from "./plugin-run";

let controlPlane: ControlPlane;
let folder = "";

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  folder = mkdtempSync(join(tmpdir(), "chart-plan-"));
}, 600_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

/** Everything that the chart may have written. */
const resources =
  "serviceaccounts,roles,rolebindings,services,configmaps,deployments,validatingwebhookconfigurations";

async function readAll(namespace: string): Promise<ReadonlyMap<string, KubeObject>> {
  const { stdout } = await controlPlane.kubectl(["get", resources, "-n", namespace, "-o", "json"]);
  const { items } = JSON.parse(stdout) as { readonly items: readonly KubeObject[] };
  return new Map(
    items.map((object) => {
      const { name = "", namespace: place } = object.metadata;
      return [[object.kind, ...(place === undefined ? [] : [place]), name].join("/"), object];
    }),
  );
}

/** What no manifest says: the status, and what the API server and its controllers keep. */
const kept = ["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"];

function said(object: KubeObject): unknown {
  const paths = kept.map((key) => `.metadata.${key}`);
  const revision = ".metadata.annotations.deployment.kubernetes.io/revision";
  return [...paths, revision].reduce<unknown>(dropField, omit(object, "status"));
}

/** The fields that a plan changes, by object. */
function listAnnounced({ steps = [] }: Report): ReadonlyMap<string, readonly string[]> {
  const announced = new Map<string, readonly string[]>();
  for (const { object, action, result, write } of steps) {
    if (result !== "planned" || action !== "apply") continue;
    const paths = (write?.changes ?? []).map(({ path }) => path);
    announced.set(object, paths);
  }
  return announced;
}

/** The object without the fields that a plan has announced. */
function without(object: KubeObject, paths: readonly string[]): unknown {
  return paths.reduce<unknown>(
    (rest, path) => (valueAt(rest, path) === undefined ? rest : dropField(rest, path)),
    said(object),
  );
}

test.each(["helm", "helm4"] as const)(
  "%s does what was announced, and nothing else",
  async (program) => {
    const namespace = `plan-${program}`;
    const executable = await findProgram(program);
    const chart = (version: "7.22.0-7" | "8.0.2-2") =>
      writeChart(join(folder, program, version), version);
    await controlPlane.api.create(namespaceNamed(namespace));
    const end = await playAt(controlPlane, namespace);
    try {
      await runHelm(controlPlane, namespace, ["install", "operator", chart("7.22.0-7")]);
      const words = [
        "--chart",
        chart("8.0.2-2"),
        "--release-name",
        "operator",
        "--version",
        "8.0.2-2",
      ];
      const run = (...more: readonly string[]) =>
        runPlugin(controlPlane, ["upgrade-operator", "--timeout=60s", ...words, ...more], {
          namespace,
          env: { ENGINE_HELM: executable },
        });
      const before = await readAll(namespace);
      const plan = await run("--dry-run=server");
      expect([plan.code, plan.writes]).toEqual([0, []]);
      expect((await run()).code).toBe(0);
      const after = await readAll(namespace);
      const announced = listAnnounced(plan.report as unknown as Report);
      const unannounced = [...new Set([...before.keys(), ...after.keys()])].filter((label) => {
        const [was, is] = [before.get(label), after.get(label)];
        const paths = announced.get(label);
        if (was === undefined || is === undefined) return paths === undefined;
        return !sameJson(without(was, paths ?? []), without(is, paths ?? []));
      });
      expect(unannounced).toEqual([]);
      const idle = [...announced].filter(([label, paths]) => {
        const [was, is] = [before.get(label), after.get(label)];
        return (
          was !== undefined && isObject(is) && paths.length > 0 && sameJson(said(was), said(is))
        );
      });
      expect(idle).toEqual([]);
      expect([...announced.keys()].some((label) => label.startsWith("Deployment/"))).toBe(true);
      const hooks = (plan.report.steps ?? []).filter(({ action }) => action === "call");
      expect(hooks.at(-1)?.object).toMatch(/^Job\//);
    } finally {
      await end();
    }
  },
);
