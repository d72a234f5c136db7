/** Someone changes the cluster while the plan of `upgrade` is confirmed: no part writes more than it planned. */
import { Readable } from "node:stream";
import { kinds, rbacKinds, constraintResource } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject, Ref } from "../../../../plugin/domain/kube/objects";
import { asArray } from "../../../../plugin/domain/base/values";
import { configurationResource } from "../../../../plugin/domain/admission/configuration";
import { exampleSource } from "../../../../plugin/simulator/example";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import { upgrade, withDatabases } from "../../../support/upgrade-runs";
import { aConstraint, user } from "../unbind-scc/objects";

let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  const source = await exampleSource(names, testTime);
  objects = [
    ...source.objects,
    aConstraint(names.scc.current, { users: [user("engine"), user("other")] }),
  ];
});

/** A terminal whose person says yes once the act is done. */
function yesAfter(act: () => Promise<unknown>): NodeJS.ReadableStream {
  let asked = false;
  const stdin = new Readable({
    read() {
      if (asked) return;
      asked = true;
      const say = (answer: string): void => {
        this.push(`${answer}\n`);
        this.push(null);
      };
      act().then(
        () => {
          say("y");
        },
        (error: unknown) => {
          say(String(error));
        },
      );
    },
  });
  return Object.assign(stdin, { isTTY: true });
}

const patch =
  (ref: Ref, body: object) =>
  ({ cluster }: PlayedWorld): Promise<unknown> =>
    cluster.patch(ref, body, { type: "merge", fieldManager: "kubectl-edit" });

const role: Ref = {
  resource: rbacKinds.role,
  namespace: "shop",
  name: names.rbac.consumerRole,
};
const ec = here(product.ec, "ec");

/** A definition whose text is otherwise. */
const otherDefinition =
  (text: string, other: string) =>
  (object: KubeObject): KubeObject =>
    object.kind === kinds.definition.kind
      ? (JSON.parse(JSON.stringify(object).replaceAll(text, other)) as KubeObject)
      : object;

interface Case {
  readonly act: (world: PlayedWorld) => Promise<unknown>;
  /** What is stopped: object and field. */
  readonly stopped: readonly [string, string];
  /** Whether a write is one of the part that is stopped. */
  readonly isOurs: (write: string) => boolean;
  readonly args?: readonly string[];
  readonly before?: (object: KubeObject) => KubeObject;
}

test.each<[string, Case]>([
  [
    "rbac-expand: rights are taken out of a role, so that they would be given again",
    {
      act: patch(role, { rules: [] }),
      stopped: [`Role/shop/${role.name}`, ".rules["],
      isOurs: () => true,
    },
  ],
  [
    "operator: a field is set otherwise, so that it would be set back",
    {
      act: patch(here(kinds.deployment, names.operator.deployment), { spec: { replicas: 3 } }),
      stopped: [`Deployment/engine/${names.operator.deployment}`, ".spec.replicas"],
      isOurs: (write) => / (Deployment|CustomResourceDefinition)\b/.test(write),
      args: ["--take-fields", "spec.replicas"],
    },
  ],
  [
    "webhook: a selector is set, so that it would be written too",
    {
      act: ({ cluster }) =>
        cluster.patch(
          { resource: configurationResource, name: names.webhook.oldConfiguration },
          [
            {
              op: "add",
              path: "/webhooks/0/namespaceSelector",
              value: { matchLabels: { guarded: "yes" } },
            },
          ],
          { type: "json", fieldManager: "kubectl-edit" },
        ),
      stopped: [
        `ValidatingWebhookConfiguration/${names.webhook.configuration}`,
        `.webhooks[name="${names.webhook.entry}"].namespaceSelector`,
      ],
      isOurs: (write) => write.includes("ValidatingWebhookConfiguration"),
    },
  ],
  [
    "cluster: the pull policy is removed, so that it would be written with the tag",
    {
      act: patch(ec, { spec: { engineEnterpriseImageSpec: { imagePullPolicy: null } } }),
      stopped: [`${names.ec.kind}/engine/ec`, ".spec.engineEnterpriseImageSpec.imagePullPolicy"],
      isOurs: (write) => write.startsWith(`patch ${names.ec.kind}`),
      before: otherDefinition('"versionTag","imagePullPolicy"', '"versionTag"'),
    },
  ],
  [
    "scc: the account is listed, so that it would be taken out",
    {
      act: patch(
        { resource: constraintResource, name: names.scc.current },
        { users: [user("engine"), user("other")] },
      ),
      before: (object) =>
        object.kind === constraintResource.kind && object.metadata.name === names.scc.current
          ? { ...object, users: [user("other")] }
          : object,
      stopped: [`SecurityContextConstraints/${names.scc.current}`, ""],
      isOurs: (write) => write.includes("SecurityContextConstraints"),
    },
  ],
  [
    "rbac-contract: a right of an older release is given, so that it would be removed",
    {
      act: async (world) => {
        const rules = asArray((await world.cluster.get(role))?.["rules"]);
        const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["deletecollection"] };
        await patch(role, { rules: [...rules, secrets] })(world);
      },
      stopped: [`Role/shop/${role.name}`, '.rules["secrets: deletecollection"]'],
      isOurs: (write) => write.startsWith("delete Role"),
    },
  ],
  [
    "databases: the other place of the version is filled, so that it would be written too",
    {
      act: patch(here(product.eaadb, "carts"), { spec: { engineVersion: "7.2" } }),
      stopped: [`${names.eaadb.kind}/engine/carts`, ".spec.engineVersion"],
      isOurs: (write) => /^patch \S*Database\b/.test(write),
      args: withDatabases.slice(1),
      before: otherDefinition(
        '"participatingClusters":{"',
        '"engineVersion":{"type":"string"},"participatingClusters":{"',
      ),
    },
  ],
])("%s: 5, and the part writes nothing", async (_, one) => {
  const world = await aPlayedWorld({ objects: objects.map(one.before ?? ((same) => same)) });
  const { report, writes } = await upgrade(world, one.args ?? [], {
    stdin: yesAfter(() => one.act(world)),
    terminal: true,
  });
  expect([report.exit.code, report.exit.reason]).toEqual([
    5,
    expect.stringContaining(one.stopped[0]),
  ]);
  const found = report.findings?.filter(({ code }) => code === "PLAN-EXCEEDED") ?? [];
  expect(found).toMatchObject([
    { object: one.stopped[0], cause: expect.stringContaining(one.stopped[1]) as string },
  ]);
  expect(writes.filter(one.isOurs)).toEqual([]);
});

test("what stands against it by the time of the answer is found before the first write", async () => {
  const world = await aPlayedWorld();
  const status = { licenseStatus: { licenseState: "Expired" } };
  const expire = (): Promise<unknown> =>
    world.cluster.patch(ec, { status }, { type: "merge", subresource: "status" });
  const { report, writes } = await upgrade(world, [], { stdin: yesAfter(expire), terminal: true });
  expect([report.exit.code, writes]).toEqual([5, []]);
  expect(report.exit.reason).toContain("changed since the plan was shown: CLUSTER-LICENSE");
});
