import { getOwn } from "../../../plugin/domain/base/values";
import { conflict, failed, invalid, notFound, refusal } from "../expected";
import { configMap, configuration, database, definition, kinds, refTo } from "../objects";
import { presence, refusalOf, sameVersion } from "../plain";
import type { ContractGroup } from "../world";

const labels = { changed: "yes" };

/** Creating, updating and deleting, with preconditions and dry runs. */
export const writing: ContractGroup = {
  about: "creating, updating and deleting",
  cases: [
    {
      says: "a second create is refused",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        return refusalOf(cluster.create(configMap(namespace)));
      },
      sees: refusal([409, "AlreadyExists"], 'configmaps "settings" already exists'),
    },
    {
      says: "a second create of a custom resource is refused",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        return refusalOf(cluster.create(database(namespace)));
      },
      sees: refusal(
        [409, "AlreadyExists"],
        'engineenterprisedatabases.app.engine.com "orders" already exists',
      ),
    },
    {
      says: "a create in a namespace that is not there is refused",
      act: ({ cluster }) => refusalOf(cluster.create(configMap("no-ns"))),
      sees: notFound('namespaces "no-ns" not found'),
    },
    {
      says: "a create of a kind that is not served is refused",
      act: ({ cluster }) =>
        refusalOf(
          cluster.create({ apiVersion: "no.example/v1", kind: "Odd", metadata: { name: "x" } }),
        ),
      sees: notFound("the API server serves no kind Odd in no.example/v1"),
    },
    {
      says: "a create without a name is refused",
      act: ({ cluster, namespace }) =>
        refusalOf(cluster.create({ ...configMap(namespace), metadata: { namespace } })),
      sees: invalid(
        'ConfigMap ""',
        "metadata.name: Required value: name or generateName is required",
      ),
    },
    {
      says: "a create with a name that is none is refused",
      act: ({ cluster, namespace }) => refusalOf(cluster.create(configMap(namespace, {}, "A_b"))),
      sees: invalid(
        'ConfigMap "A_b"',
        "metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ),
    },
    {
      says: "a create of a custom resource with a name that is none is refused",
      act: ({ cluster, namespace }) => refusalOf(cluster.create(database(namespace, {}, "A_b"))),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "A_b"',
        "metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ),
    },
    {
      says: "a label that is none is refused",
      act: ({ cluster, namespace }) => {
        const object = configMap(namespace);
        const metadata = { ...object.metadata, labels: { "a b": "c" } };
        return refusalOf(cluster.create({ ...object, metadata }));
      },
      sees: invalid(
        'ConfigMap "settings"',
        "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ),
    },
    {
      says: "a create with a resourceVersion is refused",
      act: ({ cluster, namespace }) => {
        const object = configMap(namespace);
        const metadata = { ...object.metadata, resourceVersion: "7" };
        return refusalOf(cluster.create({ ...object, metadata }));
      },
      sees: failed("resourceVersion should not be set on objects to be created"),
    },
    {
      says: "a generated name begins as asked for",
      act: async ({ cluster, namespace }) => {
        const metadata = { generateName: "run-", namespace };
        const made = await cluster.create({ ...configMap(namespace), metadata });
        return /^run-[a-z0-9]{5}$/.test(made.metadata.name ?? "");
      },
      sees: true,
    },
    {
      says: "a dry run of a create stores nothing and answers as if it had",
      act: async ({ cluster, namespace }) => {
        const object = database(namespace, { engineVersion: "7.4" });
        const answer = await cluster.create(object, { dryRun: true });
        const { managedFields, resourceVersion, ...metadata } = answer.metadata;
        return {
          answer: { ...answer, metadata },
          versioned: resourceVersion !== undefined,
          managed: managedFields?.length,
          stored: presence(await cluster.get(refTo(kinds.databases, object))),
        };
      },
      sees: {
        answer: {
          apiVersion: "app.engine.com/v1alpha1",
          kind: "EngineEnterpriseDatabase",
          metadata: {
            creationTimestamp: "TIME",
            generation: 1,
            name: "orders",
            namespace: "NS",
            uid: "UID",
          },
          spec: {
            engineEnterpriseCluster: { name: "ec" },
            engineVersion: "7.4",
            memorySize: "100MB",
          },
        },
        versioned: false,
        managed: 1,
        stored: "absent",
      },
    },
    {
      says: "an update replaces the object",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace, { a: "1", b: "2" }));
        const { data } = await cluster.update(configMap(namespace, { c: "3" }));
        return data;
      },
      sees: { c: "3" },
    },
    {
      says: "an update keeps uid and creation time",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const before = await cluster.get(refTo(kinds.configMaps, configMap(namespace)));
        const { metadata } = await cluster.update(configMap(namespace, { b: "2" }));
        const { uid, creationTimestamp } = before?.metadata ?? {};
        return [metadata.uid === uid, metadata["creationTimestamp"] === creationTimestamp];
      },
      sees: [true, true],
    },
    {
      says: "an update of what is not there is refused",
      act: ({ cluster, namespace }) => refusalOf(cluster.update(configMap(namespace))),
      sees: notFound('configmaps "settings" not found'),
    },
    {
      says: "an update of a custom resource that is not there is refused",
      act: ({ cluster, namespace }) => {
        const object = database(namespace);
        const metadata = { ...object.metadata, resourceVersion: "7" };
        return refusalOf(cluster.update({ ...object, metadata }));
      },
      sees: notFound('engineenterprisedatabases.app.engine.com "orders" not found'),
    },
    {
      says: "an update of a custom resource without a resourceVersion is refused",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        return refusalOf(cluster.update(database(namespace)));
      },
      sees: invalid(
        'engineenterprisedatabases.app.engine.com "orders"',
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      ),
    },
    {
      says: "an update from an old version is a conflict",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        const old = await cluster.get(refTo(kinds.databases, database(namespace)));
        if (old === undefined) return "absent";
        await cluster.update({ ...old, metadata: { ...old.metadata, labels } });
        return refusalOf(cluster.update({ ...old, metadata: { ...old.metadata, labels: {} } }));
      },
      sees: conflict(
        'Operation cannot be fulfilled on engineenterprisedatabases.app.engine.com "orders": the object has been modified; please apply your changes to the latest version and try again',
      ),
    },
    {
      says: "an update with another uid is a conflict",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const object = configMap(namespace);
        const metadata = { ...object.metadata, uid: "11111111-1111-1111-1111-111111111111" };
        return refusalOf(cluster.update({ ...object, metadata }));
      },
      sees: conflict(
        'Operation cannot be fulfilled on configmaps "settings": StorageError: invalid object, Code: 4, Key: /registry/configmaps/NS/settings, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: UID, UID in object meta: UID',
      ),
    },
    {
      says: "an update that changes nothing gives no new version",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const before = await cluster.get(refTo(kinds.configMaps, configMap(namespace)));
        if (before === undefined) return "absent";
        return sameVersion(before, await cluster.update(before, { fieldManager: "seed" }));
      },
      sees: true,
    },
    {
      says: "a dry run of an update stores nothing",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const before = await cluster.get(ref);
        const { data } = await cluster.update(configMap(namespace, { b: "2" }), { dryRun: true });
        return { data, unchanged: sameVersion(before, await cluster.get(ref)) };
      },
      sees: { data: { b: "2" }, unchanged: true },
    },
    {
      says: "a deleted object is gone",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        const ref = refTo(kinds.databases, database(namespace));
        await cluster.delete(ref, {});
        return presence(await cluster.get(ref));
      },
      sees: "absent",
    },
    {
      says: "deleting what is not there is refused",
      act: ({ cluster, namespace }) =>
        refusalOf(cluster.delete(refTo(kinds.configurations, configuration(namespace)), {})),
      sees: notFound(
        'validatingwebhookconfigurations.admissionregistration.k8s.io "NS-hook" not found',
      ),
    },
    {
      says: "deleting an object of a kind that is not served is refused",
      act: async ({ cluster }) => {
        const resource = { group: "no.example", version: "v1", plural: "odds", kind: "Odd" };
        return getOwn(await refusalOf(cluster.delete({ resource, name: "x" }, {})), "status");
      },
      sees: 404,
    },
    {
      says: "deleting another object of the same name is a conflict",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const uid = "11111111-1111-1111-1111-111111111111";
        const refusal = await refusalOf(cluster.delete(ref, { uid }));
        return { refusal, kept: (await cluster.get(ref)) !== undefined };
      },
      sees: {
        refusal: conflict(
          'Operation cannot be fulfilled on ConfigMap "settings": the UID in the precondition (UID) does not match the UID in record (UID). The object might have been deleted and then recreated',
        ),
        kept: true,
      },
    },
    {
      says: "deleting from an old version is a conflict",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configuration(namespace));
        const ref = refTo(kinds.configurations, configuration(namespace));
        const { uid, resourceVersion } = (await cluster.get(ref))?.metadata ?? {};
        if (uid === undefined || resourceVersion === undefined) return "absent";
        await cluster.patch(ref, { metadata: { labels } }, { type: "merge" });
        const refusal = await refusalOf(cluster.delete(ref, { uid, resourceVersion }));
        return { refusal, kept: (await cluster.get(ref)) !== undefined };
      },
      sees: {
        refusal: conflict(
          'Operation cannot be fulfilled on ValidatingWebhookConfiguration.admissionregistration.k8s.io "NS-hook": the ResourceVersion in the precondition (VERSION) does not match the ResourceVersion in record (VERSION). The object might have been modified',
        ),
        kept: true,
      },
    },
    {
      says: "deleting with the uid and version that were read succeeds",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const { uid = "", resourceVersion = "" } = (await cluster.get(ref))?.metadata ?? {};
        await cluster.delete(ref, { uid, resourceVersion });
        return presence(await cluster.get(ref));
      },
      sees: "absent",
    },
    {
      says: "a dry run of a deletion deletes nothing",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        await cluster.delete(ref, {}, { dryRun: true });
        return (await cluster.get(ref)) !== undefined;
      },
      sees: true,
    },
    {
      says: "an object with a finalizer stays, marked, until the finalizer is removed",
      act: async ({ cluster, namespace, seed }) => {
        const object = database(namespace);
        await seed({ ...object, metadata: { ...object.metadata, finalizers: ["engine.com/x"] } });
        const ref = refTo(kinds.databases, object);
        await cluster.delete(ref, {});
        const marked = (await cluster.get(ref))?.metadata;
        await cluster.patch(ref, { metadata: { finalizers: null } }, { type: "merge" });
        return {
          marked: marked?.deletionTimestamp !== undefined,
          graceSeconds: marked?.["deletionGracePeriodSeconds"],
          after: presence(await cluster.get(ref)),
        };
      },
      sees: { marked: true, graceSeconds: 0, after: "absent" },
    },
    {
      says: "an object recreated under the same name has another uid",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const first = (await cluster.get(ref))?.metadata.uid;
        await cluster.delete(ref, {});
        return (await cluster.create(configMap(namespace))).metadata.uid === first;
      },
      sees: false,
    },
    {
      says: "a request that is too large is refused",
      act: ({ cluster, namespace }) =>
        refusalOf(cluster.create(configMap(namespace, { a: "x".repeat(3_300_000) }))),
      sees: refusal([413, "RequestEntityTooLarge"], "Request entity too large: limit is 3145728"),
    },
    {
      says: "a ConfigMap over one mebibyte is refused",
      act: ({ cluster, namespace }) =>
        refusalOf(cluster.create(configMap(namespace, { a: "x".repeat(1_100_000) }))),
      sees: invalid('ConfigMap "settings"', "[]: Too long: may not be more than 1048576 bytes"),
    },
    {
      says: "a Service's address does not change",
      act: async ({ cluster, namespace }) => {
        const service = {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "s", namespace },
          spec: { ports: [{ port: 80 }], selector: { app: "a" } },
        };
        const ref = { resource: kinds.services, name: "s", namespace };
        await cluster.create({ ...service, spec: { ...service.spec, clusterIP: "None" } });
        const body = { spec: { clusterIP: "10.96.0.77" } };
        return refusalOf(cluster.patch(ref, body, { type: "merge" }));
      },
      sees: invalid(
        'Service "s"',
        'spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set',
      ),
    },
    {
      says: "the data of an immutable ConfigMap does not change",
      act: async ({ cluster, namespace }) => {
        const ref = { resource: kinds.configMaps, name: "fixed", namespace };
        await cluster.create({
          ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "fixed", namespace } },
          ...{ immutable: true, data: { a: "1" } },
        });
        return refusalOf(cluster.patch(ref, { data: { a: "2" } }, { type: "merge" }));
      },
      sees: invalid(
        'ConfigMap "fixed"',
        "data: Forbidden: field is immutable when `immutable` is set",
      ),
    },
    {
      says: "a Secret's type does not change",
      act: async ({ cluster, namespace, seed }) => {
        const secret = {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "s", namespace },
          type: "Opaque",
        };
        await seed(secret);
        return refusalOf(cluster.update({ ...secret, type: "engine.com/other" }));
      },
      sees: invalid('Secret "s"', 'type: Invalid value: "engine.com/other": field is immutable'),
    },
    {
      says: "an update of a webhook configuration or a definition has to say its version",
      act: async ({ cluster, namespace, seed }) => {
        const wanted = [configuration(namespace), definition(namespace, { type: "object" })];
        await seed(...wanted);
        return Promise.all(wanted.map((object) => refusalOf(cluster.update(object))));
      },
      sees: [
        invalid(
          'validatingwebhookconfigurations.admissionregistration.k8s.io "NS-hook"',
          "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
        ),
        invalid(
          'customresourcedefinitions.apiextensions.k8s.io "gadgets.NS.example.com"',
          "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
        ),
      ],
    },
    {
      says: "version 0 counts as none",
      act: async ({ cluster, namespace, seed }) => {
        const wanted = [configMap(namespace, { b: "2" }), database(namespace)];
        await seed(...wanted);
        return Promise.all(
          wanted.map(({ metadata, ...rest }) =>
            refusalOf(cluster.update({ ...rest, metadata: { ...metadata, resourceVersion: "0" } })),
          ),
        );
      },
      sees: [
        "accepted",
        invalid(
          'engineenterprisedatabases.app.engine.com "orders"',
          "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
        ),
      ],
    },
    {
      says: "an update from a version that is none is refused",
      act: async ({ cluster, namespace, seed }) => {
        const { metadata, ...rest } = database(namespace);
        await seed(database(namespace));
        return refusalOf(
          cluster.update({ ...rest, metadata: { ...metadata, resourceVersion: "x" } }),
        );
      },
      sees: failed('strconv.ParseUint: parsing "x": invalid syntax'),
    },
    {
      says: "a create of an object that is being deleted is refused and says so",
      act: async ({ cluster, namespace, seed }) => {
        const object = database(namespace);
        await seed({ ...object, metadata: { ...object.metadata, finalizers: ["engine.com/x"] } });
        await cluster.delete(refTo(kinds.databases, object), {});
        return refusalOf(cluster.create(object));
      },
      sees: refusal(
        [409, "AlreadyExists"],
        'object is being deleted: engineenterprisedatabases.app.engine.com "orders" already exists',
      ),
    },
    {
      says: "annotations that are too long are refused",
      act: ({ cluster, namespace }) => {
        const { metadata, ...rest } = database(namespace);
        const annotations = { a: "x".repeat(300_000) };
        return refusalOf(cluster.create({ ...rest, metadata: { ...metadata, annotations } }));
      },
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        "metadata.annotations: Too long: may not be more than 262144 bytes",
      ),
    },
  ],
};
