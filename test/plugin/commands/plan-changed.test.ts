/** Between the yes and a write someone changes the cluster: what was not confirmed is never sent. */
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { kinds, rbacKinds } from "../../../plugin/domain/kube/kinds";
import type { RecoverOptions } from "../../../plugin/commands/recover/read";
import type { Report } from "../../../plugin/kernel/report";
import { aNewConfiguration, anOldConfiguration } from "../../support/builders";
import { here, product } from "../../support/played-operator";
import { aBinding, account as rbacAccount, aRole } from "../domain/rbac/objects";
import { aScene as aClusterScene } from "./upgrade-cluster/scene";
import { aScene as aDatabaseScene, patchLine } from "./upgrade-database/scene";
import { aNamespace, aScene as anRbacScene, settings } from "./reapply-rbac/scene";
import { aScene as anOperatorScene } from "./upgrade-operator/scene";
import { aFrozenScene, type Scene as FrozenScene, stateOf } from "./recover/scene";
import { aScene as anSccScene } from "./unbind-scc/memory-scene";
import {
  account,
  bindingRef,
  constraintRef,
  linesOf,
  ns,
  objects as bound,
  scc,
} from "./unbind-scc/objects";
import { applyNew, isWrite, newName, Scene as SwapScene } from "./upgrade-webhook/scene";

// a server that stays open after a failed expectation would keep the process from ending
const opened: FrozenScene[] = [];
afterEach(async () => {
  for (const scene of opened.splice(0)) await scene.api.close();
});

interface Done {
  readonly report: Report;
  /** Writes beyond the confirmed one that meets someone's change. */
  readonly sent: readonly string[];
}

/** Acts at the first call that it is asked about. */
function once(act: () => unknown): () => Promise<void> {
  let done = false;
  return async () => {
    if (done) return;
    done = true;
    await act();
  };
}

const labels = { app: names.operator.appLabel };
const endpoints = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const someManager = { fieldManager: "argocd-controller", force: true } as const;

async function rbac(
  act: (scene: ReturnType<typeof anRbacScene>) => Promise<unknown>,
): Promise<Done> {
  const scene = anRbacScene([
    settings({ EDB_NAMESPACES: "a" }),
    aNamespace("a"),
    aRole([endpoints], { namespace: "a", labels }),
    aBinding([rbacAccount(), rbacAccount("ec")], { metadata: { namespace: "a", labels } }),
  ]);
  const change = once(() => act(scene));
  scene.before = async ({ verb, subject }) => {
    if (verb === "apply" && subject.startsWith("Role ")) await change();
  };
  const report = await scene.run({ mode: "contract", dropLocal: ["all"] });
  return { report, sent: scene.writes().slice(1) };
}

const byKubectl = { type: "merge", fieldManager: "kubectl-edit" } as const;

async function patchDeployment(
  scene: Awaited<ReturnType<typeof anOperatorScene>>,
  spec: object,
): Promise<void> {
  const ref = { resource: kinds.deployment, namespace: "engine", name: names.operator.deployment };
  await scene.cluster.patch(ref, { spec }, byKubectl);
}

/** Recovers; someone acts when the question is answered. */
async function recoverAfter(
  scene: FrozenScene,
  act: () => Promise<unknown>,
  options: Partial<RecoverOptions> = { engineVersion: "7.2" },
): Promise<Report> {
  const ask = async (): Promise<boolean> => {
    await act();
    return true;
  };
  return (await scene.run(options, { ask })).report;
}

const patchesOf = ({ sent }: FrozenScene): readonly string[] =>
  sent.filter((line) => line.startsWith("patch ") && !line.endsWith("(dry run)"));

test.each<[string, () => Promise<Done>]>([
  [
    "unbind-scc: another subject leaves, so the binding and the constraint would be deleted",
    async () => {
      const scene = anSccScene(bound);
      const leave = once(() =>
        scene.cluster.patch(bindingRef, { subjects: [account(ns)] }, { type: "merge" }),
      );
      scene.beforeWrite = async (line) => {
        if (line.endsWith("bindings")) await leave();
      };
      const report = await scene.run({ scc });
      expect(await scene.cluster.get(constraintRef)).toBeDefined();
      expect(await scene.cluster.get(bindingRef)).toMatchObject({ subjects: [account(ns)] });
      return { report, sent: linesOf(scene).filter((line) => line.startsWith("delete")) };
    },
  ],
  [
    "unbind-scc: the last other subject leaves after the writes, so the constraint would be deleted",
    async () => {
      const scene = anSccScene(bound);
      const leave = once(() => scene.cluster.delete(bindingRef, {}));
      scene.afterWrite = (line) => {
        if (line.endsWith("bindings")) scene.beforeRead = () => void leave();
      };
      const report = await scene.run({ scc });
      expect(await scene.cluster.get(constraintRef)).toBeDefined();
      return { report, sent: linesOf(scene).filter((line) => line.startsWith("delete")) };
    },
  ],
  [
    "upgrade-webhook: the old configuration appears, so it would be deleted",
    async () => {
      const scene = new SwapScene({ new: { caBundle: "" } });
      scene.onCall(isWrite("apply"), () => {
        scene.world.put(anOldConfiguration({}));
        scene.world.put(aNewConfiguration({ caBundle: "eA==" }));
      });
      const report = await scene.run();
      return { report, sent: scene.cluster.written.filter((line) => line !== applyNew) };
    },
  ],
  [
    "upgrade-webhook: another field is changed, so that the apply would change it too",
    async () => {
      const scene = new SwapScene({ new: { caBundle: "" } });
      scene.onCall(isWrite("apply"), () => {
        scene.world.put(aNewConfiguration({ entry: { failurePolicy: "Ignore" }, caBundle: "" }));
      });
      const report = await scene.run();
      expect(scene.entry()).toMatchObject({ failurePolicy: "Ignore" });
      return { report, sent: scene.cluster.written.slice(1) };
    },
  ],
  [
    "upgrade-webhook: the configuration to create is there, so that it would be changed",
    async () => {
      const scene = new SwapScene({ old: true });
      scene.onCall(isWrite("apply"), () => {
        scene.world.put(aNewConfiguration({ entry: { failurePolicy: "Ignore" } }));
      });
      const report = await scene.run();
      expect(scene.live()?.metadata.name).toBe(newName);
      return { report, sent: scene.cluster.written.slice(1) };
    },
  ],
  [
    "reapply-rbac --drop-local all: a rule is added, so that it would be removed",
    () =>
      rbac(({ cluster }) =>
        cluster.apply(
          aRole([{ ...endpoints, verbs: ["get", "list"] }], { namespace: "a", labels }),
          someManager,
        ),
      ),
  ],
  [
    "reapply-rbac: the binding is for another role, so that it would be deleted",
    () =>
      rbac(async ({ cluster, controlPlane }) => {
        const ref = { resource: rbacKinds.roleBinding, namespace: "a", name: "edb-role" };
        await cluster.delete(ref, {});
        const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "other" };
        const metadata = { namespace: "a", labels };
        controlPlane.load([
          { ...aBinding([rbacAccount(), rbacAccount("ec")], { metadata }), roleRef },
        ]);
        await cluster.apply(aRole([endpoints], { namespace: "a", labels: { ...labels, x: "y" } }), {
          ...someManager,
          fieldManager: "kubectl",
        });
      }),
  ],
  [
    "upgrade-cluster: a field gets another manager, so that it would be taken from it",
    async () => {
      const scene = await aClusterScene();
      const tag = "7.8.2-34";
      const take = once(() =>
        scene.cluster.apply(
          {
            apiVersion: `${names.group}/${names.ecVersion}`,
            kind: names.ec.kind,
            metadata: { name: "ec", namespace: "engine" },
            spec: { engineEnterpriseImageSpec: { versionTag: tag } },
          },
          someManager,
        ),
      );
      const line = `patch ${names.ec.kind} engine/ec`;
      scene.before = async (sent) => {
        if (sent === line) await take();
      };
      const takeFields = [".spec.engineEnterpriseImageSpec.versionTag"];
      const report = await scene.run({ takeFields });
      expect(scene.questions).toEqual([]);
      return { report, sent: scene.sent.slice(1) };
    },
  ],
  [
    "upgrade-database: a field gets another manager, so that it would be taken from it",
    async () => {
      const scene = await aDatabaseScene();
      const take = once(() =>
        scene.cluster.apply(
          {
            apiVersion: `${names.group}/${names.version}`,
            kind: names.edb.kind,
            metadata: { name: "sessions", namespace: "shop" },
            spec: { engineVersion: "7.2" },
          },
          someManager,
        ),
      );
      scene.before = async (sent) => {
        if (sent === patchLine("sessions")) await take();
      };
      const report = await scene.run({ takeFields: ["spec.engineVersion"] });
      expect(await scene.cluster.get(here(product.edb, "sessions", "shop"))).toMatchObject({
        spec: { engineVersion: "7.2" },
      });
      return { report, sent: scene.sent.slice(1) };
    },
  ],
  [
    "upgrade-operator: a value is changed in between, so that it would be changed back",
    async () => {
      const scene = await anOperatorScene({ installed: "7.4.2-2" });
      const line = `apply Deployment/${names.operator.deployment}`;
      scene.beforeWrite = async (sent) => {
        if (sent === line) await patchDeployment(scene, { replicas: 5 });
      };
      const report = await scene.run({ takeFields: ["spec.replicas"] });
      expect(await scene.stored("Deployment")).toMatchObject({ spec: { replicas: 5 } });
      return { report, sent: scene.writes.filter((sent) => sent === line).slice(1) };
    },
  ],
  [
    "upgrade-operator --image-registry: a field gets another manager, so that it would be taken from it",
    async () => {
      const scene = await anOperatorScene({ installed: "7.4.2-2" });
      await scene.cluster.create(
        {
          apiVersion: `${names.group}/${names.ecVersion}`,
          kind: names.ec.kind,
          metadata: { name: "manual", namespace: "engine" },
          spec: { pullSecrets: [{ name: "own" }] },
        },
        { fieldManager: "kubectl-edit" },
      );
      await scene.cluster.create({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "mirror", namespace: "engine" },
      });
      const line = `patch ${names.ec.kind}/manual`;
      scene.beforeWrite = async (sent) => {
        const spec = { pullSecrets: [{ name: "own" }, { name: "theirs" }] };
        const by = { type: "merge", fieldManager: "pipeline" } as const;
        if (sent === line) await scene.cluster.patch(here(product.ec, "manual"), { spec }, by);
      };
      const report = await scene.run({
        pullSecret: "mirror",
        registry: "mirror",
        takeFields: [names.ecFields.pullSecrets.join(".")],
      });
      return { report, sent: scene.writes.filter((sent) => sent === line).slice(1) };
    },
  ],
  ...["7.2", "7.0"].map((engineVersion): [string, () => Promise<Done>] => [
    `recover --apply: another resource asks for ${engineVersion}, less than what runs, so that it would be edited`,
    async () => {
      const scene = await aFrozenScene({ version: "6.2" });
      opened.push(scene);
      const orders = here(product.edb, "orders", "shop");
      const report = await recoverAfter(scene, () =>
        scene.cluster.patch(orders, { spec: { engineVersion } }, byKubectl),
      );
      expect(await scene.cluster.get(orders)).toMatchObject({ spec: { engineVersion } });
      // what was confirmed is written, or the operator would undo the upgrade
      expect(await stateOf(scene)).toMatchObject({ asks: "7.2" });
      return { report, sent: patchesOf(scene).filter((line) => !line.includes("shop/sessions")) };
    },
  ]),
])("%s: PLAN-EXCEEDED, and it is not sent", async (_, act) => {
  const { report, sent } = await act();
  const all = [
    report.findings ?? [],
    ...(report.namespaces ?? []).map((one) => one.findings ?? []),
  ];
  const codes = all.flat().map(({ code }) => code);
  expect([codes.includes("PLAN-EXCEEDED"), sent]).toEqual([true, []]);
  expect(report.exit.code).toBe(5);
  expect(report.exit.next ?? report.findings?.at(-1)?.fix).toMatch(/run again|same command/);
});
