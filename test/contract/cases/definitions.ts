import { getOwn } from "../../../plugin/domain/base/values";
import { warningsOf, apply } from "../acts";
import { failed, invalid, ownedBy } from "../expected";
import { database, definition, ec, gadget, gadgets, kinds, refTo } from "../objects";
import { refusalOf, unorderedRefusalOf } from "../plain";
import type { ContractGroup, World } from "../world";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 9 },
        mode: { type: "string", default: "fast", enum: ["fast", "safe"] },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 5 },
        labels: { type: "object", additionalProperties: { type: "string" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port"],
          items: {
            type: "object",
            required: ["port"],
            properties: { port: { type: "integer" }, host: { type: "string" } },
          },
        },
        extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        share: { "x-kubernetes-int-or-string": true },
      },
    },
  },
};

/** The handler of a new kind and the discovery of it come one after the other. */
async function isServed({ cluster, namespace }: World): Promise<boolean> {
  const { group, version } = gadgets(namespace);
  if ((await cluster.serves(group, version)) === undefined) return false;
  return (await cluster.list(gadgets(namespace))) !== undefined;
}

/** What a conversion webhook that is not there makes of a request; told is the version that it begins with. */
function unconverted(from = "v1"): unknown {
  return failed(
    `conversion webhook for NS.example.com/${from}, Kind=Gadget failed: Post "https://conversion.NS.svc:443/convert?timeout=30s": service "conversion" not found`,
  );
}

/** Defines Gadget and waits until it is served. */
async function defined(world: World, more: object = {}): Promise<void> {
  const { cluster, namespace, settle } = world;
  await cluster.create(definition(namespace, schema, more));
  await settle(() => isServed(world));
}

const refused = (spec: object) => (world: World) =>
  refusalOf(world.cluster.create(database(world.namespace, spec)));

/** One definition for all: a real server takes two seconds to serve a new kind. */
const unfit: Readonly<Record<string, object>> = {
  "a number over the maximum": { size: 10 },
  "a text against its pattern": { size: 1, name: "A" },
  "a text that is too long": { size: 1, name: "abcdef" },
  "a required field that is missing": {},
  "a value of a map of the wrong type": { size: 1, labels: { a: 1 } },
  "two items of one key": { size: 1, ports: [{ port: 1 }, { port: 1 }] },
  "an item without its key": { size: 1, ports: [{ host: "a" }] },
  "neither a number nor a text": { size: 1, share: true },
};

/** Custom resources and their definitions. */
export const definitions: ContractGroup = {
  about: "custom resources",
  cases: [
    {
      says: "a field of the wrong type is refused",
      act: refused({ engineVersion: 7.4 }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        'spec.engineVersion: Invalid value: "number": spec.engineVersion in body must be of type string: "number"',
      ),
    },
    {
      says: "a value outside of an enum is refused",
      act: refused({ type: "sql" }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        'spec.type: Unsupported value: "sql": supported values: "engine", "memcached"',
      ),
    },
    {
      says: "a number below the minimum is refused",
      act: refused({ shardCount: 0 }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        "spec.shardCount: Invalid value: 0: spec.shardCount in body should be greater than or equal to 1",
      ),
    },
    {
      says: "a required field that is missing is refused",
      act: refused({ engineEnterpriseCluster: {} }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        "spec.engineEnterpriseCluster.name: Required value",
      ),
    },
    {
      says: "an item of the wrong type is refused by its index",
      act: refused({ modulesList: [{ name: "a" }, { name: 7 }] }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        'spec.modulesList[1].name: Invalid value: "integer": spec.modulesList[1].name in body must be of type string: "integer"',
      ),
    },
    {
      says: "a list that is none is refused",
      act: refused({ modulesList: "search" }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        'spec.modulesList: Invalid value: "string": spec.modulesList in body must be of type array: "string"',
      ),
    },
    {
      says: "a null where a value is wanted is left out",
      act: async ({ cluster, namespace }) =>
        (await cluster.create(database(namespace, { engineVersion: null })))["spec"],
      sees: { engineEnterpriseCluster: { name: "ec" }, memorySize: "100MB" },
    },
    {
      says: "several problems are told at once",
      act: ({ cluster, namespace }) => {
        const spec = { engineVersion: 7, type: "sql", shardCount: "two" };
        return unorderedRefusalOf(cluster.create(database(namespace, spec)));
      },
      sees: {
        ...invalid(
          "EngineEnterpriseDatabase",
          'spec.type: Unsupported value: "sql": supported values: "engine", "memcached"',
          'spec.engineVersion: Invalid value: "integer": spec.engineVersion in body must be of type string: "integer"',
          'spec.shardCount: Invalid value: "string": spec.shardCount in body must be of type integer: "string"',
        ),
        message: "in any order",
      },
    },
    {
      says: "exactly one of two sources is asked for",
      act: ({ cluster, namespace }) =>
        refusalOf(
          cluster.create(ec(namespace, { userDefinedModules: [{ name: "m", source: {} }] })),
        ).then((seen) => [getOwn(seen, "status"), getOwn(seen, "reason")]),
      sees: [422, "Invalid"],
    },
    {
      says: "an unknown field is dropped with a warning",
      act: ({ cluster, namespace }) =>
        warningsOf(async (options) => {
          const made = await cluster.create(database(namespace, { unknown: 1 }), options);
          if (JSON.stringify(made).includes('unknown":1')) throw new Error("it was kept");
        }),
      sees: { outcome: "accepted", warnings: ['unknown field "spec.unknown"'] },
    },
    {
      says: "an unknown field in an item of a list is dropped with a warning that names its place",
      act: ({ cluster, namespace }) =>
        warningsOf((options) =>
          cluster.create(
            database(namespace, { modulesList: [{ name: "a" }, { name: "b", odd: 1 }], more: {} }),
            options,
          ),
        ),
      sees: {
        outcome: "accepted",
        warnings: ['unknown field "spec.modulesList[1].odd"', 'unknown field "spec.more"'],
      },
    },
    {
      says: "an apply with an unknown field of a custom resource is refused",
      act: (world) =>
        warningsOf((options) => apply(world, database(world.namespace, { odd: 1 }), options)),
      sees: {
        outcome: failed(
          "failed to create typed patch object (NS/orders; app.engine.com/v1alpha1, Kind=EngineEnterpriseDatabase): .spec.odd: field not declared in schema",
        ),
        warnings: [],
      },
    },
    {
      says: "a definition makes a kind, with its defaults, its pruning and its free part",
      act: async (world) => {
        await defined(world);
        const spec = { size: 3, odd: 1, labels: { a: "b" }, extra: { any: [1] }, share: "5%" };
        const made = await world.cluster.create(gadget(world.namespace, { spec }));
        return [made["spec"], made.metadata.generation];
      },
      sees: [{ extra: { any: [1] }, labels: { a: "b" }, mode: "fast", share: "5%", size: 3 }, 1],
    },
    {
      says: "a definition is stored with what it leaves open",
      act: async ({ cluster, namespace }) => {
        const made = await cluster.create(definition(namespace, { type: "object" }));
        return made["spec"];
      },
      sees: {
        group: "NS.example.com",
        names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object" } },
          },
        ],
        conversion: { strategy: "None" },
      },
    },
    {
      says: "each kind of unfit value is refused in its own words",
      act: async (world) => {
        await defined(world);
        const refusals = Object.entries(unfit).map(async ([what, spec]) => [
          what,
          await refusalOf(world.cluster.create(gadget(world.namespace, { spec }))),
        ]);
        return Object.fromEntries(await Promise.all(refusals)) as unknown;
      },
      sees: {
        "a number over the maximum": invalid(
          'Gadget.NS.example.com "g"',
          "spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9",
        ),
        "a text against its pattern": invalid(
          'Gadget.NS.example.com "g"',
          "spec.name: Invalid value: \"A\": spec.name in body should match '^[a-z]+$'",
        ),
        "a text that is too long": invalid(
          'Gadget.NS.example.com "g"',
          "spec.name: Too long: may not be more than 5 bytes",
        ),
        "a required field that is missing": invalid(
          'Gadget.NS.example.com "g"',
          "spec.size: Required value",
        ),
        "a value of a map of the wrong type": invalid(
          'Gadget.NS.example.com "g"',
          'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
        ),
        "two items of one key": invalid(
          'Gadget.NS.example.com "g"',
          'spec.ports[1]: Duplicate value: {"port":1}',
        ),
        "an item without its key": invalid(
          'Gadget.NS.example.com "g"',
          "spec.ports[0].port: Required value",
        ),
        "neither a number nor a text": invalid(
          'Gadget.NS.example.com "g"',
          'spec.share: Invalid value: "boolean": spec.share in body must be of type integer,string: "boolean"',
        ),
      },
    },
    {
      says: "a rule in the schema is checked",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        const rules = [{ rule: "self.spec.a < self.spec.b", message: "a must be below b" }];
        const numbers = { a: { type: "integer" }, b: { type: "integer" } };
        const ruled = {
          type: "object",
          "x-kubernetes-validations": rules,
          properties: { spec: { type: "object", properties: numbers } },
        };
        await cluster.create(definition(namespace, ruled));
        await settle(() => isServed(world));
        return refusalOf(cluster.create(gadget(namespace, { spec: { a: 2, b: 1 } })));
      },
      sees: invalid(
        'Gadget.NS.example.com "g"',
        '<nil>: Invalid value: "object": a must be below b',
      ),
      limit: "expressions",
    },
    {
      says: "without a status subresource a status is written with the object",
      act: async (world) => {
        await defined(world, {
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: { status: { type: "object", properties: { a: { type: "string" } } } },
                },
              },
            },
          ],
        });
        const made = await world.cluster.create(gadget(world.namespace, { status: { a: "b" } }));
        const ref = refTo(gadgets(world.namespace), made);
        const body = { status: { a: "c" } };
        const next = await world.cluster.patch(ref, body, { type: "merge" });
        return [made["status"], next["status"], next.metadata.generation];
      },
      sees: [{ a: "b" }, { a: "c" }, 2],
    },
    {
      says: "a kind whose definition is deleted is not served any more, and its objects are gone",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        await defined(world);
        await cluster.create(gadget(namespace, { spec: { size: 1 } }));
        const ref = refTo(kinds.definitions, definition(namespace, schema));
        await cluster.delete(ref, {});
        await settle(async () => (await cluster.list(gadgets(namespace))) === undefined);
        await settle(async () => (await cluster.get(ref)) === undefined);
        await defined(world);
        return cluster.list(gadgets(namespace));
      },
      sees: [],
    },
    {
      says: "a definition under a name that does not fit is refused",
      act: ({ cluster, namespace }) => {
        const object = definition(namespace, { type: "object" });
        const metadata = { name: `wrong.${namespace}.example.com` };
        return refusalOf(cluster.create({ ...object, metadata }));
      },
      sees: invalid(
        'CustomResourceDefinition.apiextensions.k8s.io "wrong.NS.example.com"',
        'metadata.name: Invalid value: "wrong.NS.example.com": must be spec.names.plural+"."+spec.group',
      ),
    },
    {
      says: "a definition without a schema is refused",
      act: ({ cluster, namespace }) =>
        refusalOf(
          cluster.create(
            definition(namespace, {}, { versions: [{ name: "v1", served: true, storage: true }] }),
          ),
        ),
      sees: invalid(
        'CustomResourceDefinition.apiextensions.k8s.io "gadgets.NS.example.com"',
        "spec.versions[0].schema.openAPIV3Schema: Required value",
      ),
    },
    {
      says: "an applied definition that adds a field is used at once",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        const first = { type: "object", properties: { a: { type: "string" } } };
        const next = { type: "object", properties: { ...first.properties, b: { type: "string" } } };
        await apply(world, definition(namespace, first));
        await settle(() => isServed(world));
        await apply(world, definition(namespace, next));
        const probe = gadget(namespace, { a: "1", b: "2" });
        await settle(async () => "b" in (await cluster.create(probe, { dryRun: true })));
        const { a, b } = await cluster.create(probe);
        return { a, b };
      },
      sees: { a: "1", b: "2" },
    },
    {
      says: "a definition that would keep unknown fields is refused, new or changed",
      act: async (world) => {
        const { cluster, namespace } = world;
        const more = { preserveUnknownFields: true };
        const first = await refusalOf(
          cluster.create(definition(namespace, { type: "object" }, more)),
        );
        await cluster.create(definition(namespace, { type: "object" }));
        const ref = refTo(kinds.definitions, definition(namespace, {}));
        const body = { spec: { preserveUnknownFields: true } };
        return [first, await refusalOf(cluster.patch(ref, body, { type: "merge" }))];
      },
      sees: [1, 2].map(() =>
        invalid(
          'CustomResourceDefinition.apiextensions.k8s.io "gadgets.NS.example.com"',
          "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ),
      ),
    },
    {
      says: "a conversion webhook that is not there fails whatever is not in the stored version",
      act: async (world) => {
        const { cluster, namespace, settle } = world;
        const version = (name: string, storage: boolean): object => ({
          ...{ name, storage, served: true },
          schema: { openAPIV3Schema: { type: "object" } },
        });
        const webhook = {
          clientConfig: { service: { namespace, name: "conversion", path: "/convert" } },
          conversionReviewVersions: ["v1"],
        };
        await cluster.create(
          definition(
            namespace,
            {},
            {
              versions: [version("v1", true), version("v2", false)],
              conversion: { strategy: "Webhook", webhook },
            },
          ),
        );
        await settle(() => isServed(world));
        const other = { ...gadgets(namespace), version: "v2" };
        const empty = await cluster.list(other, { namespace });
        const own = await refusalOf(cluster.create(gadget(namespace, {})));
        const inOther = { ...gadget(namespace, {}, "h"), apiVersion: `${other.group}/v2` };
        return {
          empty,
          own,
          read: (await cluster.get(refTo(gadgets(namespace), gadget(namespace, {}))))?.apiVersion,
          got: await refusalOf(cluster.get({ resource: other, name: "g", namespace })),
          listed: await refusalOf(cluster.list(other, { namespace })),
          created: await refusalOf(cluster.create(inOther)),
        };
      },
      sees: {
        empty: [],
        own: "accepted",
        read: "NS.example.com/v1",
        got: unconverted(),
        listed: unconverted(),
        created: unconverted("v2"),
      },
    },
    {
      says: "the scope and the kind of a definition that is served do not change",
      act: async (world) => {
        const { cluster, namespace } = world;
        await defined(world);
        const ref = refTo(kinds.definitions, definition(namespace, schema));
        const names = { kind: "Gizmo", listKind: "GizmoList" };
        return unorderedRefusalOf(
          cluster.patch(ref, { spec: { scope: "Cluster", names } }, { type: "merge" }),
        );
      },
      sees: {
        ...invalid(
          'CustomResourceDefinition.apiextensions.k8s.io "gadgets.NS.example.com"',
          'spec.scope: Invalid value: "Cluster": field is immutable',
          'spec.names.kind: Invalid value: "Gizmo": field is immutable',
        ),
        message: "in any order",
      },
    },
    {
      says: "a version that objects were stored in does not go from a definition",
      act: async (world) => {
        const { cluster, namespace } = world;
        const version = (name: string, storage: boolean): object => ({
          ...{ name, storage, served: true },
          schema: { openAPIV3Schema: { type: "object" } },
        });
        const made = definition(
          namespace,
          {},
          { versions: [version("v1", true), version("v2", false)] },
        );
        await cluster.create(made);
        const ref = refTo(kinds.definitions, made);
        const both = { spec: { versions: [version("v1", false), version("v2", true)] } };
        const stored = await cluster.patch(ref, both, { type: "merge" });
        const one = { spec: { versions: [version("v2", true)] } };
        return [stored["status"], await refusalOf(cluster.patch(ref, one, { type: "merge" }))].map(
          (told, at) => (at === 0 ? getOwn(told, "storedVersions") : told),
        );
      },
      sees: [
        ["v1", "v2"],
        invalid(
          'CustomResourceDefinition.apiextensions.k8s.io "gadgets.NS.example.com"',
          'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
        ),
      ],
    },
    {
      says: "a definition that another manager changed is a conflict over its versions",
      act: async (world) => {
        const { cluster, namespace } = world;
        const object = definition(namespace, { type: "object" });
        await apply(world, object);
        const versions = definition(namespace, { type: "object", description: "theirs" });
        const ref = refTo(kinds.definitions, object);
        const options = { type: "merge", fieldManager: "kubectl-edit" } as const;
        await cluster.patch(ref, { spec: versions["spec"] }, options);
        return refusalOf(apply(world, object));
      },
      sees: ownedBy({ "kubectl-edit using apiextensions.k8s.io/v1": [".spec.versions"] }),
    },
    {
      says: "a list with keys is owned item by item",
      act: async (world) => {
        await defined(world);
        const { namespace } = world;
        const theirs = { spec: { size: 1, ports: [{ port: 1, host: "a" }] } };
        await apply(world, gadget(namespace, theirs), { fieldManager: "them" });
        const ours = { spec: { size: 1, ports: [{ port: 2, host: "b" }] } };
        return (await apply(world, gadget(namespace, ours)))["spec"];
      },
      sees: {
        mode: "fast",
        ports: [
          { host: "a", port: 1 },
          { host: "b", port: 2 },
        ],
        size: 1,
      },
    },
  ],
};
