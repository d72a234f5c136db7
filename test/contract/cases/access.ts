import { getPath } from "../../../plugin/domain/base/values";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import { grant } from "../acts";
import { forbidden } from "../expected";
import {
  binding,
  clusterBinding,
  clusterRole,
  configMap,
  configuration,
  database,
  kinds,
  refTo,
  role,
  rule,
} from "../objects";
import { presence, refusalOf } from "../plain";
import type { ContractGroup, World } from "../world";

const jane = (act: (jane: KubeClient, world: World) => Promise<unknown>) => async (world: World) =>
  refusalOf(act(await world.as("jane"), world));

const configMapRule = (verbs: readonly string[], more: object = {}) => ({
  apiGroups: [""],
  resources: ["configmaps"],
  verbs,
  ...more,
});

const nowhere = "at the cluster scope";
const here = 'in the namespace "NS"';

/** Jane's refusal of `VERB RESOURCE.GROUP`, of one object where it has a name. */
function mayNot(what: string, { name = "", place = here } = {}) {
  const [verb = "", full = ""] = what.split(" ");
  const [resource = "", ...group] = full.split(".");
  const subject = name === "" ? full : `${full} "${name}"`;
  const words = `cannot ${verb} resource "${resource}" in API group "${group.join(".")}" ${place}`;
  return forbidden(`${subject} is forbidden: User "jane" ${words}`);
}

/** Asks with a SubjectAccessReview. */
async function review(
  { cluster, namespace }: World,
  subject: object,
  attributes: object = { verb: "get", group: "", resource: "configmaps" },
): Promise<unknown> {
  const answer = await cluster.create({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: { ...subject, resourceAttributes: { namespace, ...attributes } },
  });
  return getPath(answer, ["status", "allowed"]);
}

/** Who may do what, in the API server's words. */
export const access: ContractGroup = {
  about: "permissions",
  cases: [
    {
      says: "reading without permission is refused",
      act: jane((us, { namespace }) => us.get(refTo(kinds.configMaps, configMap(namespace)))),
      sees: mayNot("get configmaps", { name: "settings" }),
    },
    {
      says: "reading a cluster-scoped object without permission is refused",
      act: jane((us, { namespace }) =>
        us.get(refTo(kinds.configurations, configuration(namespace))),
      ),
      sees: mayNot("get validatingwebhookconfigurations.admissionregistration.k8s.io", {
        name: "NS-hook",
        place: nowhere,
      }),
    },
    {
      says: "listing without permission is refused",
      act: jane((us, { namespace }) => us.list(kinds.databases, { namespace })),
      sees: mayNot("list engineenterprisedatabases.app.engine.com"),
    },
    {
      says: "listing all namespaces without permission is refused",
      act: jane((us) => us.list(kinds.databases)),
      sees: mayNot("list engineenterprisedatabases.app.engine.com", { place: nowhere }),
    },
    {
      says: "creating without permission is refused",
      act: jane((us, { namespace }) => us.create(database(namespace))),
      sees: mayNot("create engineenterprisedatabases.app.engine.com"),
    },
    {
      says: "a dry run without permission is refused",
      act: jane((us, { namespace }) => us.create(database(namespace), { dryRun: true })),
      sees: mayNot("create engineenterprisedatabases.app.engine.com"),
    },
    {
      says: "updating without permission is refused",
      act: jane((us, { namespace }) => us.update(configMap(namespace))),
      sees: mayNot("update configmaps", { name: "settings" }),
    },
    {
      says: "applying without permission is refused as patching",
      act: jane((us, { namespace }) => us.apply(configuration(namespace), { fieldManager: "us" })),
      sees: mayNot("patch validatingwebhookconfigurations.admissionregistration.k8s.io", {
        name: "NS-hook",
        place: nowhere,
      }),
    },
    {
      says: "deleting without permission is refused",
      act: jane((us, { namespace }) =>
        us.delete(refTo(kinds.configMaps, configMap(namespace)), {}),
      ),
      sees: mayNot("delete configmaps", { name: "settings" }),
    },
    {
      says: "watching without permission is refused",
      act: jane(async (us, { namespace }) => {
        const { signal } = new AbortController();
        for await (const event of us.watch(kinds.configMaps, { namespace, signal })) return event;
        return "ended";
      }),
      sees: mayNot("watch configmaps"),
    },
    {
      says: "a kind that is not served is forbidden rather than not found",
      act: jane((us) =>
        us.list({ group: "no.example", version: "v1", plural: "odds", kind: "Odd" }),
      ),
      sees: mayNot("list odds.no.example", { place: nowhere }),
    },
    {
      says: "applying an object that is not there needs create as well as patch",
      act: async (world) => {
        const us = await grant(world, "jane", [configMapRule(["patch"])]);
        return refusalOf(us.apply(configMap(world.namespace), { fieldManager: "us" }));
      },
      sees: mayNot("create configmaps", { name: "settings" }),
    },
    {
      says: "applying an object that is there needs patch alone",
      act: async (world) => {
        await world.seed(configMap(world.namespace));
        const us = await grant(world, "jane", [configMapRule(["patch"])]);
        return refusalOf(
          us.apply(configMap(world.namespace, { a: "1", b: "2" }), { fieldManager: "us" }),
        );
      },
      sees: "accepted",
    },
    {
      says: "a rule with names allows those names alone",
      act: async (world) => {
        const { namespace } = world;
        const rules = [configMapRule(["get"], { resourceNames: ["settings"] })];
        const us = await grant(world, "jane", rules);
        const ref = refTo(kinds.configMaps, configMap(namespace));
        return {
          named: presence(await us.get(ref)),
          other: await refusalOf(us.get({ ...ref, name: "other" })),
          list: await refusalOf(us.list(kinds.configMaps, { namespace })),
          byName: await refusalOf(
            us.list(kinds.configMaps, { namespace, fieldSelector: "metadata.name=settings" }),
          ),
        };
      },
      sees: {
        named: "absent",
        other: mayNot("get configmaps", { name: "other" }),
        list: mayNot("list configmaps"),
        byName: mayNot("list configmaps", { name: "settings" }),
      },
    },
    {
      says: "a rule of the core group does not reach another group",
      act: async (world) => {
        const us = await grant(world, "jane", [configMapRule(["*"], { resources: ["*"] })]);
        return refusalOf(us.list(kinds.databases, { namespace: world.namespace }));
      },
      sees: mayNot("list engineenterprisedatabases.app.engine.com"),
    },
    {
      says: "a Role counts in its own namespace alone",
      act: async (world) => {
        const us = await grant(world, "jane", [configMapRule(["list"])]);
        const { namespace } = world;
        return {
          own: await us.list(kinds.configMaps, { namespace }).then(() => "allowed"),
          other: await refusalOf(us.list(kinds.configMaps, { namespace: "default" })),
        };
      },
      sees: {
        own: "allowed",
        other: mayNot("list configmaps", { place: 'in the namespace "default"' }),
      },
    },
    {
      says: "a ClusterRole counts where it is bound",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        const name = `${namespace}-reader`;
        await cluster.create(clusterRole(name, [configMapRule(["list"])]));
        await cluster.create(binding(namespace, "jane", { kind: "ClusterRole", name }));
        const us = await world.as("jane");
        const asked = { verb: "list", group: "", resource: "configmaps" };
        await settle(() => us.can({ ...asked, namespace }));
        return { here: true, everywhere: await us.can(asked) };
      },
      sees: { here: true, everywhere: false },
    },
    {
      says: "a ClusterRole that is bound cluster-wide counts everywhere",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        const name = `${namespace}-reader`;
        await cluster.create(clusterRole(name, [configMapRule(["list"])]));
        await cluster.create(clusterBinding(name, "jane", name));
        const us = await world.as("jane");
        const asked = { verb: "list", group: "", resource: "configmaps" };
        await settle(() => us.can({ ...asked, namespace }));
        return {
          everywhere: await us.can(asked),
          write: await us.can({ ...asked, verb: "create" }),
        };
      },
      sees: { everywhere: true, write: false },
    },
    {
      says: "a binding to a Role that is not there gives nothing",
      act: async (world) => {
        await world.cluster.create(binding(world.namespace, "jane"));
        const us = await world.as("jane");
        return refusalOf(us.list(kinds.configMaps, { namespace: world.namespace }));
      },
      sees: forbidden(
        'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "NS": RBAC: role.rbac.authorization.k8s.io "reader" not found',
      ),
    },
    {
      says: "a group gives what is bound to it",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        await cluster.create(role(namespace, [configMapRule(["list"])]));
        const bound = binding(namespace, "anyone");
        const subject = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "team" };
        await cluster.create({ ...bound, subjects: [subject] });
        const asked = { verb: "list", group: "", resource: "configmaps", namespace };
        const member = await world.as("jane", ["team"]);
        await settle(() => member.can(asked));
        return {
          member: await member.can(asked),
          other: await (await world.as("jane")).can(asked),
        };
      },
      sees: { member: true, other: false },
    },
    {
      says: "a service account has what is bound to it, and what its groups have",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        await cluster.create(role(namespace, [configMapRule(["get"])]));
        const bound = binding(namespace, "account");
        const subject = { kind: "ServiceAccount", name: "operator", namespace };
        await cluster.create({ ...bound, subjects: [subject] });
        const user = `system:serviceaccount:${namespace}:operator`;
        await settle(async () => (await review(world, { user })) === true);
        const everyone = binding(namespace, "everyone");
        const group = `system:serviceaccounts:${namespace}`;
        const groupSubject = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group };
        await cluster.create({ ...everyone, subjects: [groupSubject] });
        const other = `system:serviceaccount:${namespace}:other`;
        await settle(async () => (await review(world, { user: other, groups: [group] })) === true);
        return {
          bound: await review(world, { user }),
          derivesNoGroups: await review(world, { user: other }),
          ofGroup: await review(world, { user: other, groups: [group] }),
        };
      },
      sees: { bound: true, derivesNoGroups: false, ofGroup: true },
    },
    {
      says: "an access review of a subresource and of a name",
      act: async (world) => {
        const rules = [
          configMapRule(["get"], { resources: ["pods/log"] }),
          configMapRule(["get"], { resources: ["secrets"], resourceNames: ["admission-tls"] }),
        ];
        const us = await grant(world, "jane", rules.slice(1));
        const { namespace, cluster, settle } = world;
        await cluster.update({ ...role(namespace, rules) });
        const log = { verb: "get", group: "", resource: "pods", subresource: "log", namespace };
        await settle(() => us.can(log));
        const secret = { verb: "get", group: "", resource: "secrets", namespace };
        return {
          log: await us.can(log),
          pod: await us.can({ verb: "get", group: "", resource: "pods", namespace }),
          secret: await us.can({ ...secret, name: "admission-tls" }),
          otherSecret: await us.can({ ...secret, name: "other" }),
          anySecret: await us.can(secret),
        };
      },
      sees: { log: true, pod: false, secret: true, otherSecret: false, anySecret: false },
    },
    {
      says: "an administrator may do everything",
      act: async ({ cluster }) => cluster.can({ verb: "delete", group: "*", resource: "*" }),
      sees: true,
    },
    {
      says: "an aggregated role gains no rules without the controller that fills them in",
      act: async (world) => {
        const { cluster, namespace } = world;
        const part = clusterRole(`${namespace}-part`, [rule(["get"], "configmaps")]);
        const labels = { aggregate: namespace };
        await cluster.create({ ...part, metadata: { ...part.metadata, labels } });
        const whole = clusterRole(`${namespace}-whole`, []);
        const clusterRoleSelectors = [{ matchLabels: labels }];
        const made = await cluster.create({ ...whole, aggregationRule: { clusterRoleSelectors } });
        return made["rules"] ?? "absent";
      },
      sees: "absent",
    },
    {
      says: "the use of a constraint is asked by its name, as a service account with its groups",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        const name = `${namespace}-use`;
        const group = "security.openshift.io";
        const resource = "securitycontextconstraints";
        const rules = [
          { apiGroups: [group], resources: [resource], resourceNames: ["engine"], verbs: ["use"] },
        ];
        await cluster.create(clusterRole(name, rules));
        const bound = binding(namespace, "accounts", { kind: "ClusterRole", name });
        const accounts = `system:serviceaccounts:${namespace}`;
        const subject = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: accounts };
        await cluster.create({ ...bound, subjects: [subject] });
        const user = `system:serviceaccount:${namespace}:ec`;
        const groups = ["system:serviceaccounts", accounts, "system:authenticated"];
        const asked = { verb: "use", group, resource };
        const named = { ...asked, name: "engine" };
        await settle(async () => (await review(world, { user, groups }, named)) === true);
        return {
          named: await review(world, { user, groups }, named),
          other: await review(world, { user, groups }, { ...asked, name: "privileged" }),
          elsewhere: await review(world, { user, groups }, { ...named, namespace: "default" }),
        };
      },
      sees: { named: true, other: false, elsewhere: false },
    },
    {
      says: "an access review for others without permission is refused",
      act: jane((us) =>
        us.create({
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          metadata: {},
          spec: { user: "joe", resourceAttributes: { verb: "get", resource: "pods" } },
        }),
      ),
      sees: mayNot("create subjectaccessreviews.authorization.k8s.io", { place: nowhere }),
    },
  ],
};
