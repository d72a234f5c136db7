/**
 * The operator's access while its roles change: expand, switch of the operator, contract. A second
 * process asks all the time whether the operator's account may do what the release in charge needs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readShippedRbac } from "../../plugin/adapters/shipped";
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { type Grant, grantsOf, readRules } from "../../plugin/domain/kube/role-rules";
import { getPath } from "../../plugin/domain/base/values";
import type { Demand, Question, Told } from "./access-watch-process";
import type { ControlPlane } from "./control-plane";
import {
  documentedWay,
  labelBinding,
  labelRole,
  namespaceNames,
  oldBinding,
  oldRules,
  openManaged,
  operatorAccount,
  operatorMay,
  operatorNamespace,
  seedNamespaces,
  settings,
  widerRules,
} from "./managed-namespaces";
import type { KubeObject } from "./api";
import { operatorDeployment } from "./operator";
import { type PluginRun, runPlugin } from "./plugin-run";
import { GivenUp, until } from "./until";
import { connectionOf, startProcess } from "./second-process";
import type { User } from "./api-server";
import { startWriteGate } from "./write-gate";

const apiGroup = "rbac.authorization.k8s.io";
const shipped = Object.entries(readShippedRbac()).flatMap(([file, text]) =>
  parseDocuments(text, file),
);
const newRules = readRules(
  shipped.find(
    (one) => getPath(one, ["kind"]) === "Role" && getPath(one, ["metadata", "name"]) === "edb-role",
  ),
);
const oldGrants = grantsOf(oldRules);
const newGrants = grantsOf(newRules);
const onlyOld: Question = { verb: "get", group: "", resource: "endpoints" };
const onlyNew: Question = { verb: "get", group: "discovery.k8s.io", resource: "endpointslices" };
const sharedRole = { apiGroup, kind: "ClusterRole", name: "shared-by-hand" };

let controlPlane: ControlPlane;
let watch: AccessWatch | undefined;
/** The new release's roles and bindings, while the old operator runs. */
let template = "";
beforeAll(async () => {
  controlPlane = await openManaged({ users: [accessWatcher], version: "7.22.0-17" });
  const { api, site } = controlPlane;
  template = join(site.dataDir, "roles.yaml");
  writeFileSync(template, Object.values(readShippedRbac()).join("---\n"));
  await api.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRole",
    metadata: { name: sharedRole.name },
    rules: widerRules,
  });
});
afterEach(async () => {
  await watch?.stop();
  watch = undefined;
});
afterAll(() => controlPlane.stop());

function questionOf({ verb, group, resource, name }: Grant, namespace: string): Question {
  const [plural = "", subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    namespace,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
  };
}

/** What one release needs in the namespaces; where it finds them by label, in the cluster too. */
function need({ places, byLabel }: Managed, grants: readonly Grant[]): Demand["lanes"] {
  const find = ["list", "watch"].map((verb) => ({ verb, group: "", resource: "namespaces" }));
  return [
    ...places.map((namespace) => grants.map((grant) => questionOf(grant, namespace))),
    ...(byLabel ? [find] : []),
  ];
}

/** What the operator manages; in the last of the places another role is bound. */
interface Managed {
  readonly places: readonly string[];
  readonly byLabel: boolean;
}

async function managed(from: number, byLabel: boolean): Promise<Managed> {
  const { api } = controlPlane;
  const places = namespaceNames(8, from);
  const [shared = ""] = places.slice(-1);
  await seedNamespaces(api, places, byLabel ? { managed: "yes" } : {});
  await api.replace(oldBinding(shared, sharedRole), documentedWay);
  await api.apply(settings(byLabel ? { EDB_NAMESPACES_LABEL: "managed=yes" } : listOf(places)));
  if (byLabel) {
    await api.create(labelRole(), documentedWay);
    await api.create(labelBinding(), documentedWay);
  }
  const old = need({ places, byLabel }, oldGrants).flat();
  await until("the old access to be known", async () => {
    const answers = await Promise.all(old.map(may));
    return answers.every(Boolean) || undefined;
  });
  return { places, byLabel };
}

const listOf = (places: readonly string[]) => ({
  EDB_NAMESPACES: places.join(","),
  EDB_NAMESPACES_LABEL: "",
});

const may = (question: Question): Promise<boolean> => operatorMay(controlPlane.api, question);

async function reapply(mode: string, more: readonly string[] = []): Promise<PluginRun> {
  const words = ["reapply-rbac", "--mode", mode, "--yes", ...more];
  const run = await runPlugin(controlPlane, words, { namespace: operatorNamespace });
  expect({ code: run.code, exit: run.report.exit }).toMatchObject({ code: 0 });
  return run;
}

/** The new operator takes over at the edit of its Deployment. */
async function switchOperator(): Promise<void> {
  const deployment: KubeObject = operatorDeployment(operatorNamespace, "8.0.20-23");
  await controlPlane.api.apply(deployment);
}

test.each([
  { mode: "the list", from: 1, byLabel: false },
  { mode: "the label", from: 101, byLabel: true },
])(
  "by $mode: expand, switch, contract leave no moment without access",
  async ({ from, byLabel }) => {
    const all = await managed(from, byLabel);
    const { places } = all;
    watch = startAccessWatch(controlPlane);
    const [old, next] = [need(all, oldGrants), need(all, newGrants)];

    await watch.demand({ name: "old", lanes: old });
    await reapply("expand", ["--template", template]);
    await watch.demand({ name: "old and new", lanes: old.map((lane, n) => both(lane, next[n])) });
    await switchOperator();
    await watch.demand({ name: "new", lanes: next });
    await reapply("contract");
    await watch.demand({ name: "new, contracted", lanes: next });
    const { reviews, refused } = await watch.stop();

    expect(refused).toEqual([]);
    expect(reviews).toBeGreaterThan(1_000);
    for (const namespace of places) {
      expect([namespace, await may({ ...onlyOld, namespace })]).toEqual([namespace, false]);
      expect([namespace, await may({ ...onlyNew, namespace })]).toEqual([namespace, true]);
    }
    const [shared = ""] = places.slice(-1);
    expect(await controlPlane.api.read(oldBinding(shared))).toMatchObject({
      roleRef: { kind: "Role", name: names.rbac.consumerRole },
    });
  },
);

const both = (lane: readonly Question[], more: readonly Question[] = []): readonly Question[] => [
  ...lane,
  ...more,
];

describe("the watch sees", () => {
  test("what the new rules alone, before the switch, take from the old operator", async () => {
    const all = await managed(201, false);
    watch = startAccessWatch(controlPlane);
    await watch.demand({ name: "old", lanes: need(all, oldGrants) });
    await reapply("contract");
    await watch.demand({ name: "still old", lanes: need(all, oldGrants) });
    const { refused } = await watch.stop();
    expect(refused).toEqual(
      expect.arrayContaining(all.places.map((name) => `still old: get endpoints in ${name}`)),
    );
  });

  test("the moment between deleting a binding and making it again", async () => {
    const all = await managed(301, false);
    const [place = ""] = all.places;
    watch = startAccessWatch(controlPlane);
    await watch.demand({ name: "old", lanes: need({ ...all, places: [place] }, oldGrants) });
    const input = JSON.stringify(oldBinding(place, sharedRole));
    // on a busy machine the moment may be shorter than the time between two questions
    const gate = await startWriteGate(controlPlane);
    gate.watch(async (line, moment) => {
      if (moment === "before" && line.startsWith("POST ")) await watch?.refusal();
      return "pass";
    });
    const { kubeconfig } = gate;
    const words = ["replace", "--force", "-f", "-"];
    const { code } = await controlPlane.kubectl(words, { input, kubeconfig });
    await gate.close();
    expect(code).toBe(0);
    const { refused } = await watch.stop();
    expect(refused).not.toEqual([]);
  });
});

/** Who asks: not the account that is asked about. */
const accessWatcher: User = { name: "access-watcher", groups: ["system:masters"] };

interface AccessWatch {
  /** From now on this has to be allowed; resolves when all of it was asked once. */
  demand(demand: Demand): Promise<void>;
  /** Resolves when anything was refused. */
  refusal(): Promise<void>;
  /** Ends it. */
  stop(): Promise<AccessRecord>;
}

interface AccessRecord {
  readonly reviews: number;
  /** Refusals as `demand: verb resource in namespace`, each once. */
  readonly refused: readonly string[];
}

/** Starts a second process that asks, all the time, whether the operator may do what is demanded. */
function startAccessWatch(controlPlane: ControlPlane): AccessWatch {
  const { told, say, stop } = startProcess<Told>("access-watch-process.ts");
  say({ ...connectionOf(controlPlane, accessWatcher.name), ...operatorAccount });
  return {
    demand: async (demand) => {
      say(demand);
      await until(`a round of "${demand.name}"`, () => {
        requireNoFailure(told);
        return told.some((one) => one.is === "round" && one.demand === demand.name) || undefined;
      });
    },
    refusal: async () => {
      await until("a refusal", () => told.some(({ is }) => is === "refused") || undefined);
    },
    stop: async () => {
      await stop();
      requireNoFailure(told);
      return recordOf(told);
    },
  };
}

function requireNoFailure(told: readonly Told[]): void {
  const failed = told.find((one) => one.is === "failed");
  if (failed?.is === "failed") throw new GivenUp(`the watching ended: ${failed.because}`);
}

function recordOf(told: readonly Told[]): AccessRecord {
  const rounds = told.flatMap((one) => (one.is === "round" ? [one.reviews] : []));
  const refused = told.flatMap((one) => {
    if (one.is !== "refused") return [];
    const { verb = "", resource = "", namespace = "the cluster" } = one.question;
    return [`${one.demand}: ${verb} ${resource} in ${namespace}`];
  });
  return { reviews: Math.max(0, ...rounds), refused: [...new Set(refused)] };
}
