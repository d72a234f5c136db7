/** Requests and ECs of all shapes, as fuzz tests need them: mostly what belongs there, sometimes anything. */
import fc from "fast-check";

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -0, 8, 7.4, 1e308, "", " ", "__proto__", [], {}, [[]]),
  fc.constantFrom<unknown>({ name: {} }, { constructor: 1 }, "\u0000", "\ud800", "7.2\n", "major"),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Mostly what belongs there, sometimes anything, sometimes nothing. */
const mostly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
const record = (model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(model, { requiredKeys });

const version = mostly(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("7.2", "7.4", "8.0", "8.2", "major") },
    {
      weight: 2,
      arbitrary: fc.constantFrom("6.2", "8.4", "9.0", "10.0", "latest", "Major", "7.4.2", "v7.4"),
    },
    { weight: 1, arbitrary: fc.constantFrom("07.2", "7.02", "7", "7.", "7.2-", "٧.٢", " 7.2") },
  ),
);
const moduleName = fc.constantFrom("search", "bf", "ReJSON", "mine", "Mine", "EngineSearch", "x");
const modules = mostly(
  fc.array(mostly(record({ name: mostly(moduleName), version: mostly(version) }, ["name"])), {
    maxLength: 4,
  }),
);
const place = fc.constantFrom("engine", "apps", "other");
const clusterName = fc.constantFrom("ec", "two", "__proto__");
const judgedFields = { engineVersion: version, moduleList: modules, modulesList: modules };
const clusterReference = mostly(record({ name: mostly(clusterName) }, ["name"]));

/** Passed over by the parser where they belong, and nowhere else. */
const managedFields = mostly(
  fc.constantFrom(
    [],
    [{ manager: "kubectl", fieldsV1: { "f:spec": { ".": {}, 'k:{"a":"ü"}': {} } } }],
  ),
);

const database = mostly(
  record(
    {
      metadata: mostly(
        record({
          name: fc.constant("db1"),
          managedFields,
          deletionTimestamp: fc.option(fc.constant("2026-01-01T00:00:00Z"), { freq: 9 }),
          annotations: mostly(
            record({
              "engine.io/admission-bypass": mostly(fc.constant("reason")),
              "engine.io/admission-bypass-until": mostly(fc.constant("2999-01-01T00:00:00Z")),
            }),
          ),
        }),
      ),
      spec: mostly(
        record(
          {
            ...judgedFields,
            managedFields,
            engineEnterpriseCluster: clusterReference,
            globalConfigurations: mostly(record(judgedFields, ["engineVersion"])),
          },
          ["engineVersion", "globalConfigurations"],
        ),
      ),
      status: mostly(record({ version: mostly(fc.constantFrom("7.2.4", "7.4.2", "8.0", "x")) })),
    },
    ["spec"],
  ),
);

const cluster = fc
  .record({
    metadata: fc.record({ namespace: place, name: clusterName }),
    spec: mostly(
      record({
        engineUpgradePolicy: mostly(fc.constantFrom("major", "major", "latest", "Major")),
        userDefinedModules: mostly(fc.array(mostly(record({ name: mostly(moduleName) })))),
      }),
    ),
    status: mostly(
      record({
        bundledDatabaseVersions: mostly(
          fc.array(
            mostly(
              record(
                { dbType: mostly(fc.constant("engine")), version, major: mostly(fc.boolean()) },
                ["dbType", "version"],
              ),
            ),
          ),
        ),
        modules: mostly(
          fc.array(mostly(record({ name: moduleName, displayName: mostly(moduleName) }))),
        ),
      }),
    ),
  })
  .map((object) => object as object);
/** The ECs that there are. */
export const clusters = fc.uniqueArray(cluster, {
  maxLength: 3,
  selector: (ec) => {
    const { metadata } = ec as { readonly metadata: Record<string, string> };
    return `${metadata["namespace"] ?? ""}/${metadata["name"] ?? ""}`;
  },
});

const plural = fc.constantFrom(
  "engineenterprisedatabases",
  "engineenterprisedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseremoteclusters",
  "pods",
);
/** The request of a review. */
export const request = record(
  {
    uid: fc.constant("uid-1"),
    kind: mostly(fc.constant({ group: "app.engine.com", kind: "EngineEnterpriseDatabase" })),
    resource: fc.record({
      group: fc.constantFrom("app.engine.com", "app.engine.com", ""),
      resource: plural,
    }),
    subResource: fc.constantFrom("", "", "", "status"),
    name: mostly(fc.string()),
    namespace: place,
    operation: fc.constantFrom("CREATE", "UPDATE", "UPDATE", "UPDATE", "DELETE", "CONNECT", "x"),
    userInfo: mostly(fc.constant({ groups: ["oncall"] })),
    object: database,
    oldObject: database,
    dryRun: mostly(fc.boolean()),
  },
  ["uid", "resource", "operation", "object", "oldObject"],
);
