import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { getPath, asArray, getOwn } from "../../../plugin/domain/base/values";
import { apply, read } from "../acts";
import { badRequest, conflict, failed, invalid, ownedBy, refusal } from "../expected";
import {
  binding,
  userSubject,
  configMap,
  configuration,
  database,
  deployment,
  entry,
  kinds,
  refTo,
  role,
} from "../objects";
import { ownersOf, refusalOf, sameVersion } from "../plain";
import type { ContractGroup } from "../world";

const force = true;

/** Server-side apply: who owns which field, and what happens when two want the same. */
export const applying: ContractGroup = {
  about: "applying",
  cases: [
    {
      says: "an apply creates what is not there and owns every field that it names",
      act: async (world) => {
        const made = await apply(world, database(world.namespace, { engineVersion: "7.4" }));
        return { spec: made["spec"], owners: ownersOf(made) };
      },
      sees: {
        spec: {
          engineEnterpriseCluster: { name: "ec" },
          engineVersion: "7.4",
          memorySize: "100MB",
        },
        owners: ["us: spec{engineEnterpriseCluster{name} engineVersion memorySize}"],
      },
    },
    {
      says: "an apply that changes nothing gives no new version",
      act: async (world) => {
        const first = await apply(world, configuration(world.namespace));
        return sameVersion(first, await apply(world, configuration(world.namespace)));
      },
      sees: true,
    },
    {
      says: "a field that is no longer applied is removed",
      act: async (world) => {
        await apply(world, configMap(world.namespace, { a: "1", b: "2" }));
        const after = await apply(world, configMap(world.namespace, { a: "1" }));
        return { data: after["data"], owners: ownersOf(after) };
      },
      sees: { data: { a: "1" }, owners: ["us: data{a}"] },
    },
    {
      says: "a field that another manager owns too stays when it is no longer applied",
      act: async (world) => {
        await apply(world, configMap(world.namespace, { a: "1", b: "2" }));
        await apply(world, configMap(world.namespace, { b: "2" }), { fieldManager: "them" });
        const after = await apply(world, configMap(world.namespace, { a: "1" }));
        return { data: after["data"], owners: ownersOf(after) };
      },
      sees: { data: { a: "1", b: "2" }, owners: ["them: data{b}", "us: data{a}"] },
    },
    {
      says: "fields of others are left alone",
      act: async (world) => {
        await world.seed(configMap(world.namespace, { theirs: "1" }));
        const after = await apply(world, configMap(world.namespace, { ours: "2" }));
        return { data: after["data"], owners: ownersOf(after) };
      },
      sees: {
        data: { ours: "2", theirs: "1" },
        owners: ["seed by update: data{. theirs}", "us: data{ours}"],
      },
    },
    {
      says: "an apply that takes another manager's field is refused with that manager's name",
      act: async (world) => {
        await apply(world, configMap(world.namespace), { fieldManager: "them" });
        return refusalOf(apply(world, configMap(world.namespace, { a: "2" })));
      },
      sees: ownedBy({ them: [".data.a"] }),
    },
    {
      says: "a conflict over several fields names each, by manager",
      act: async (world) => {
        await apply(world, database(world.namespace), { fieldManager: "helm" });
        const change = { memorySize: "1GB", engineEnterpriseCluster: { name: "other" } };
        return refusalOf(apply(world, database(world.namespace, change)));
      },
      sees: ownedBy({ helm: [".spec.memorySize", ".spec.engineEnterpriseCluster.name"] }),
    },
    {
      says: "a conflict with two managers names both",
      act: async (world) => {
        const { cluster, namespace } = world;
        await apply(world, configMap(namespace, { a: "1" }), { fieldManager: "helm" });
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const body = { data: { b: "1" } };
        await cluster.patch(ref, body, { type: "merge", fieldManager: "kubectl-edit" });
        return refusalOf(apply(world, configMap(namespace, { a: "2", b: "2" })));
      },
      sees: ownedBy({ helm: [".data.a"], "kubectl-edit using v1": [".data.b"] }),
    },
    {
      says: "a conflict with a manager of updates says what it used",
      act: async (world) => {
        await world.cluster.create(configuration(world.namespace), {
          fieldManager: "kubectl-client-side-apply",
        });
        const wanted = entry(world.namespace, { failurePolicy: "Ignore" });
        return refusalOf(apply(world, configuration(world.namespace, [wanted])));
      },
      sees: ownedBy({
        "kubectl-client-side-apply using admissionregistration.k8s.io/v1": [
          '.webhooks[name="databases.admission.engine"].failurePolicy',
          '.webhooks[name="databases.admission.engine"].rules',
        ],
      }),
    },
    {
      says: "a dry run meets the same conflict",
      act: async (world) => {
        await world.seed(configMap(world.namespace));
        const request = apply(world, configMap(world.namespace, { a: "2" }), { dryRun: true });
        return refusalOf(request);
      },
      sees: ownedBy({ "seed using v1": [".data.a"] }),
    },
    {
      says: "a dry run of an apply answers with the new owners and stores nothing",
      act: async (world) => {
        const object = configMap(world.namespace);
        await world.seed(object);
        const before = await read(world, kinds.configMaps, object);
        const wanted = configMap(world.namespace, { a: "1", b: "2" });
        const answer = await apply(world, wanted, { dryRun: true });
        return {
          data: answer["data"],
          owners: ownersOf(answer),
          unchanged: sameVersion(before, await read(world, kinds.configMaps, object)),
        };
      },
      sees: {
        data: { a: "1", b: "2" },
        owners: ["seed by update: data{. a}", "us: data{a b}"],
        unchanged: true,
      },
    },
    {
      says: "force takes the field and its ownership",
      act: async (world) => {
        await apply(world, configMap(world.namespace), { fieldManager: "them" });
        const after = await apply(world, configMap(world.namespace, { a: "2" }), { force });
        return { data: after["data"], owners: ownersOf(after) };
      },
      sees: { data: { a: "2" }, owners: ["us: data{a}"] },
    },
    {
      says: "the same value is shared, not fought over",
      act: async (world) => {
        await apply(world, configMap(world.namespace), { fieldManager: "them" });
        return ownersOf(await apply(world, configMap(world.namespace)));
      },
      sees: ["them: data{a}", "us: data{a}"],
    },
    {
      says: "taking over a person's kubectl fields with force leaves kubectl what is not applied",
      act: async (world) => {
        const { cluster, namespace } = world;
        const theirs = entry(namespace, { timeoutSeconds: 5, failurePolicy: "Ignore" });
        await cluster.create(configuration(namespace, [theirs]), {
          fieldManager: "kubectl-create",
        });
        const ours = configuration(namespace, [entry(namespace, { timeoutSeconds: 30 })]);
        const refusal = await refusalOf(apply(world, ours));
        return { refusal, owners: ownersOf(await apply(world, ours, { force })) };
      },
      sees: {
        refusal: ownedBy({
          "kubectl-create using admissionregistration.k8s.io/v1": [
            '.webhooks[name="databases.admission.engine"].failurePolicy',
            '.webhooks[name="databases.admission.engine"].rules',
            '.webhooks[name="databases.admission.engine"].timeoutSeconds',
          ],
        }),
        owners: [
          "kubectl-create by update: webhooks{. [name=databases.admission.engine]{. admissionReviewVersions clientConfig{. service{. name namespace path port}} matchPolicy name namespaceSelector objectSelector sideEffects}}",
          "us: webhooks{[name=databases.admission.engine]{. admissionReviewVersions clientConfig{service{name namespace path}} failurePolicy name namespaceSelector rules sideEffects timeoutSeconds}}",
        ],
      },
    },
    {
      says: "an apply over an object without managed fields meets a manager before-first-apply",
      act: async (world) => {
        const { cluster, namespace } = world;
        await world.seed(configMap(namespace));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        await cluster.patch(ref, { metadata: { managedFields: [{}] } }, { type: "merge" });
        const cleared = ownersOf(await cluster.get(ref));
        const refusal = await refusalOf(apply(world, configMap(namespace, { a: "2" })));
        const after = await apply(world, configMap(namespace, { a: "1", b: "2" }));
        return { cleared, refusal, owners: ownersOf(after) };
      },
      sees: {
        cleared: [],
        refusal: ownedBy({ "before-first-apply using v1": [".data.a"] }),
        owners: ["before-first-apply by update: data{. a}", "us: data{a b}"],
      },
    },
    {
      says: "an apply with the uid and version that were read goes through",
      act: async (world) => {
        await world.seed(configMap(world.namespace));
        const object = configMap(world.namespace, { a: "2" });
        const { uid = "", resourceVersion = "" } =
          (await read(world, kinds.configMaps, object))?.metadata ?? {};
        const metadata = { ...object.metadata, uid, resourceVersion };
        return (await apply(world, { ...object, metadata }, { force }))["data"];
      },
      sees: { a: "2" },
    },
    {
      says: "an apply from an old version is a conflict, forced or not",
      act: async (world) => {
        await world.seed(configuration(world.namespace));
        const object = configuration(world.namespace, [
          entry(world.namespace, { timeoutSeconds: 3 }),
        ]);
        const { uid = "", resourceVersion = "" } =
          (await read(world, kinds.configurations, object))?.metadata ?? {};
        const ref = refTo(kinds.configurations, object);
        await world.cluster.patch(ref, { metadata: { labels: { a: "b" } } }, { type: "merge" });
        const metadata = { ...object.metadata, uid, resourceVersion };
        return {
          forced: await refusalOf(apply(world, { ...object, metadata }, { force })),
          unforced: await refusalOf(apply(world, { ...object, metadata })),
        };
      },
      sees: {
        forced: conflict(
          'Operation cannot be fulfilled on validatingwebhookconfigurations.admissionregistration.k8s.io "NS-hook": the object has been modified; please apply your changes to the latest version and try again',
        ),
        unforced: ownedBy({
          "seed using admissionregistration.k8s.io/v1": [
            '.webhooks[name="databases.admission.engine"].rules',
            '.webhooks[name="databases.admission.engine"].timeoutSeconds',
          ],
        }),
      },
    },
    {
      says: "an apply with another uid is a conflict",
      act: async (world) => {
        await world.seed(configMap(world.namespace));
        const object = configMap(world.namespace, { a: "2" });
        const metadata = { ...object.metadata, uid: "11111111-1111-1111-1111-111111111111" };
        return refusalOf(apply(world, { ...object, metadata }, { force }));
      },
      sees: refusal(
        [422, "Invalid"],
        'ConfigMap "settings" is invalid: metadata.uid: Invalid value: "UID": field is immutable',
        [
          {
            reason: "FieldValueInvalid",
            field: "metadata.uid",
            message: 'Invalid value: "UID": field is immutable',
          },
          {
            reason: "FieldValueInvalid",
            field: "metadata.uid",
            message: 'Invalid value: "UID": field is immutable',
          },
        ],
      ),
    },
    {
      says: "an apply with a uid creates nothing",
      act: async (world) => {
        const object = configMap(world.namespace);
        const metadata = { ...object.metadata, uid: "11111111-1111-1111-1111-111111111111" };
        return refusalOf(apply(world, { ...object, metadata }));
      },
      sees: conflict(
        'Operation cannot be fulfilled on configmaps "settings": uid mismatch: the provided object specified uid UID, and no existing object was found',
      ),
    },
    {
      says: "an apply with a version creates what is not there",
      act: async (world) => {
        const object = configMap(world.namespace);
        const metadata = { ...object.metadata, resourceVersion: "7" };
        return refusalOf(apply(world, { ...object, metadata }));
      },
      sees: "accepted",
    },
    {
      says: "an apply that carries managedFields is refused",
      act: async (world) => {
        const made = await apply(world, configMap(world.namespace));
        const { managedFields } = made.metadata;
        const object = configMap(world.namespace);
        const metadata = { ...object.metadata, managedFields: managedFields ?? [] };
        return refusalOf(apply(world, { ...object, metadata }));
      },
      sees: badRequest("metadata.managedFields must be nil"),
    },
    {
      says: "entries of a configuration are owned by name; one that is no longer applied goes",
      act: async (world) => {
        const { namespace } = world;
        const other = entry(namespace, { name: "other.admission.engine" });
        const third = entry(namespace, { name: "third.admission.engine" });
        await apply(world, configuration(namespace, [third]), { fieldManager: "them" });
        await apply(world, configuration(namespace, [entry(namespace), other]));
        const after = await apply(world, configuration(namespace, [entry(namespace)]));
        const names = (after["webhooks"] as readonly Record<string, unknown>[]).map(
          (e) => e["name"],
        );
        return { names, owners: ownersOf(after) };
      },
      sees: {
        names: ["third.admission.engine", "databases.admission.engine"],
        owners: [
          "them: webhooks{[name=third.admission.engine]{. admissionReviewVersions clientConfig{service{name namespace path}} failurePolicy name namespaceSelector rules sideEffects}}",
          "us: webhooks{[name=databases.admission.engine]{. admissionReviewVersions clientConfig{service{name namespace path}} failurePolicy name namespaceSelector rules sideEffects}}",
        ],
      },
    },
    {
      says: "containers and ports of a Deployment are owned by their keys",
      act: async (world) => ownersOf(await apply(world, deployment(world.namespace))),
      sees: [
        "us: spec{replicas selector template{metadata{labels{name}} spec{containers{[name=operator]{. image name ports{[containerPort=8080,protocol=TCP]{. containerPort}}}}}}}",
      ],
    },
    {
      says: "a Deployment's replicas that someone else scaled are a conflict",
      act: async (world) => {
        const { cluster, namespace } = world;
        await apply(world, deployment(namespace));
        const ref = refTo(kinds.deployments, deployment(namespace));
        const body = { spec: { replicas: 3 } };
        await cluster.patch(ref, body, { type: "merge", fieldManager: "scaler" });
        return refusalOf(apply(world, deployment(namespace)));
      },
      sees: ownedBy({ "scaler using apps/v1": [".spec.replicas"] }),
    },
    {
      says: "an image that kubectl set is a conflict over that container's image",
      act: async (world) => {
        const { cluster, namespace } = world;
        await apply(world, deployment(namespace));
        const containers = [{ name: "operator", image: "engine/operator:9" }];
        const body = { spec: { template: { spec: { containers } } } };
        const ref = refTo(kinds.deployments, deployment(namespace));
        await cluster.patch(ref, body, { type: "strategic", fieldManager: "kubectl-set" });
        return refusalOf(apply(world, deployment(namespace, "engine/operator:2")));
      },
      sees: ownedBy({
        "kubectl-set using apps/v1": ['.spec.template.spec.containers[name="operator"].image'],
      }),
    },
    {
      says: "the rules of a Role are one value with one owner",
      act: async (world) => {
        const { namespace } = world;
        const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
        const made = await apply(world, role(namespace, rules), { fieldManager: "them" });
        const refusal = await refusalOf(apply(world, role(namespace, [])));
        return { owners: ownersOf(made), refusal };
      },
      sees: { owners: ["them: rules"], refusal: ownedBy({ them: [".rules"] }) },
    },
    {
      says: "a null is no value: the field is owned by nobody",
      act: async (world) => {
        const object = configMap(world.namespace, { a: "1" });
        const made = await apply(world, { ...object, binaryData: null });
        return { keys: Object.keys(made).sort(), owners: ownersOf(made) };
      },
      sees: {
        keys: ["apiVersion", "data", "kind", "metadata"],
        owners: ["us: binaryData data{a}"],
      },
    },
    {
      says: "an update takes the fields that it changes from their owner",
      act: async (world) => {
        const { cluster, namespace } = world;
        await apply(world, configMap(namespace, { a: "1", b: "1" }));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const body = { data: { a: "2" } };
        const after = await cluster.patch(ref, body, { type: "merge", fieldManager: "them" });
        return ownersOf(after);
      },
      sees: ["them by update: data{a}", "us: data{b}"],
    },
    {
      says: "an update that takes a field away leaves no owner of it",
      act: async (world) => {
        const { cluster, namespace } = world;
        await apply(world, configMap(namespace, { a: "1", b: "1" }));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const body = { data: { a: null } };
        return ownersOf(await cluster.patch(ref, body, { type: "merge", fieldManager: "them" }));
      },
      sees: ["us: data{b}"],
    },
    {
      says: "items of a custom resource's plain list are one value with one owner",
      act: async (world) => {
        const modulesList = [{ name: "search" }, { name: "ReJSON" }];
        return ownersOf(await apply(world, database(world.namespace, { modulesList })));
      },
      sees: ["us: spec{engineEnterpriseCluster{name} memorySize modulesList}"],
    },
    {
      says: "an apply with a label that is none is refused",
      act: async (world) => {
        const object = configMap(world.namespace);
        const metadata = { ...object.metadata, labels: { "a b": "c" } };
        return refusalOf(apply(world, { ...object, metadata }));
      },
      sees: invalid(
        'ConfigMap "settings"',
        "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ),
    },
    {
      says: "labels of two managers stand side by side",
      act: async (world) => {
        const object = configMap(world.namespace);
        const labeled = (labels: Readonly<Record<string, string>>): typeof object => ({
          ...object,
          metadata: { ...object.metadata, labels },
        });
        await apply(world, labeled({ app: "x" }), { fieldManager: "them" });
        const after = await apply(world, labeled({ ours: "y" }));
        return { labels: after.metadata.labels, owners: ownersOf(after) };
      },
      sees: {
        labels: { app: "x", ours: "y" },
        owners: ["them: data{a} metadata{labels{app}}", "us: data{a} metadata{labels{ours}}"],
      },
    },
    {
      says: "an apply with two entries of one name is refused",
      act: (world) =>
        refusalOf(
          apply(
            world,
            configuration(world.namespace, [entry(world.namespace), entry(world.namespace)]),
          ),
        ),
      sees: failed(
        'failed to create typed patch object (/NS-hook; admissionregistration.k8s.io/v1, Kind=ValidatingWebhookConfiguration): .webhooks: duplicate entries for key [name="databases.admission.engine"]',
      ),
    },
    {
      says: "an unknown field of a built-in kind is left out with a warning by an update",
      act: async ({ cluster, namespace }) => {
        const warnings: string[] = [];
        const object = { ...configMap(namespace), dat: { a: "1" } };
        const made = await cluster.create(object, { onWarning: (text) => warnings.push(text) });
        return { kept: "dat" in made, warnings };
      },
      sees: { kept: false, warnings: ['unknown field "dat"'] },
    },
    {
      says: "an apply with an unknown field of a built-in kind is refused",
      act: (world) => refusalOf(apply(world, { ...configMap(world.namespace), dat: { a: "1" } })),
      sees: failed(
        "failed to create typed patch object (NS/settings; /v1, Kind=ConfigMap): .dat: field not declared in schema",
      ),
    },
    {
      says: "a write without a manager's name is owned by the program",
      act: async ({ cluster, namespace }) => ownersOf(await cluster.create(configMap(namespace))),
      sees: ["kubectl-engine by update: data{. a}"],
    },
    {
      says: "what a manager updated is not its own to apply",
      act: async (world) => {
        const { cluster, namespace } = world;
        await cluster.create(configMap(namespace), { fieldManager: "us" });
        return refusalOf(apply(world, configMap(namespace, { a: "2" })));
      },
      sees: ownedBy({ "us using v1": [".data.a"] }),
    },
    {
      says: "a forced apply over an update of the same manager leaves two entries",
      act: async (world) => {
        const { cluster, namespace } = world;
        await cluster.create(configMap(namespace, { a: "1", b: "1" }), { fieldManager: "us" });
        return ownersOf(await apply(world, configMap(namespace, { a: "2" }), { force }));
      },
      sees: ["us by update: data{. b}", "us: data{a}"],
    },
    {
      says: "environment entries of a container are owned by name",
      act: async (world) => {
        const withEnv = (name: string): KubeObject => {
          const object = deployment(world.namespace);
          const containers = [{ name: "operator", env: [{ name, value: "x" }] }];
          return { ...object, spec: { template: { spec: { containers } } } };
        };
        await world.seed(deployment(world.namespace));
        await apply(world, withEnv("A"), { fieldManager: "them" });
        const both = await apply(world, withEnv("B"));
        const one = await apply(world, withEnv("C"));
        const path = ["spec", "template", "spec", "containers"];
        return [both, one].map((object) => getOwn(asArray(getPath(object, path))[0], "env"));
      },
      sees: [
        [
          { name: "A", value: "x" },
          { name: "B", value: "x" },
        ],
        [
          { name: "A", value: "x" },
          { name: "C", value: "x" },
        ],
      ],
    },
    {
      says: "the subjects of a binding are one value with one owner",
      act: async (world) => {
        await apply(world, binding(world.namespace, "joe"), { fieldManager: "them" });
        const ours = { ...binding(world.namespace, "joe"), subjects: [userSubject("jane")] };
        return refusalOf(apply(world, ours));
      },
      sees: ownedBy({ them: [".subjects"] }),
    },
    {
      says: "a ServiceAccount is applied over an existing one without a conflict",
      act: async (world) => {
        const { namespace } = world;
        const account: KubeObject = {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: "operator", namespace },
        };
        await world.seed({ ...account, imagePullSecrets: [{ name: "theirs" }] });
        const metadata = { ...account.metadata, labels: { app: "engine" } };
        const after = await apply(world, { ...account, metadata });
        return { secrets: after["imagePullSecrets"], owners: ownersOf(after) };
      },
      sees: {
        secrets: [{ name: "theirs" }],
        owners: ["seed by update: imagePullSecrets", "us: metadata{labels{app}}"],
      },
    },
    {
      says: "two applies of one object at once both count",
      act: async (world) => {
        const { namespace } = world;
        await world.seed(configMap(namespace, {}));
        await Promise.all([
          apply(world, configMap(namespace, { a: "1" }), { fieldManager: "one" }),
          apply(world, configMap(namespace, { b: "2" }), { fieldManager: "two" }),
        ]);
        return (await read(world, kinds.configMaps, configMap(namespace)))?.["data"];
      },
      sees: { a: "1", b: "2" },
    },
    {
      says: "a Deployment whose strategy becomes Recreate beside the default's rolling update is refused",
      act: async (world) => {
        await world.seed(deployment(world.namespace));
        const object = deployment(world.namespace);
        const spec = { ...(object["spec"] as object), strategy: { type: "Recreate" } };
        return refusalOf(apply(world, { ...object, spec }, { force }));
      },
      sees: invalid(
        'Deployment.apps "operator"',
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
      ),
    },
  ],
};
