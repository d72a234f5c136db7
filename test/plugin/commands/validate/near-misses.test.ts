/** What is nearly one of the product's objects. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { findNearMisses } from "../../../../plugin/commands/validate/near-misses";

const edb = { apiVersion: "app.engine.com/v1alpha1", kind: "EngineEnterpriseDatabase" };
const eaadb = { ...edb, kind: "EngineEnterpriseActiveActiveDatabase" };
const ec = { apiVersion: "app.engine.com/v1", kind: "EngineEnterpriseCluster" };

test.each<[string, unknown, readonly string[]]>([
  ["no object", [edb], []],
  ["a database", { ...edb, metadata: { name: "a" }, spec: { engineVersion: "7.2" } }, []],
  ["a cluster", { ...ec, spec: { engineUpgradePolicy: "major" } }, []],
  ["another participant", { ...edb, kind: names.erc.kind }, []],
  ["a foreign object", { apiVersion: "v1", kind: "ConfigMap" }, []],
  ["a kindless one", { replicas: 1 }, []],
  ["a value on the way", { ...edb, spec: 7 }, []],
  [
    "one of the kinds in another group",
    { ...edb, apiVersion: "app.other.io/v1" },
    [
      'otherKind apiVersion: EngineEnterpriseDatabase is a kind of app.engine.com, and apiVersion is "app.other.io/v1": the rules do not check it',
    ],
  ],
  [
    "one of the kinds without a group",
    { kind: ec.kind },
    [
      "nearMiss kind: EngineEnterpriseCluster is a kind of app.engine.com, and there is no apiVersion: the rules do not check it",
    ],
  ],
  [
    "another case of the group",
    { ...edb, apiVersion: "App.Engine.com/v1alpha1" },
    ['nearMiss apiVersion: "App.Engine.com" is not known here (did you mean app.engine.com?)'],
  ],
  [
    "a version that nothing serves",
    { ...edb, apiVersion: "app.engine.com/v1beta1" },
    ['nearMiss apiVersion: "v1beta1" is not known here (did you mean v1alpha1?)'],
  ],
  [
    "a group without a version",
    { ...edb, apiVersion: "app.engine.com" },
    ['nearMiss apiVersion: "" is not known here (did you mean v1alpha1?)'],
  ],
  [
    "a kind in small letters",
    { ...edb, kind: "engineenterprisedatabase" },
    [
      'nearMiss kind: "engineenterprisedatabase" is not known here (did you mean EngineEnterpriseDatabase?)',
    ],
  ],
  [
    "a misspelled kind",
    { ...edb, kind: "EngineEnterpriceDatabse" },
    [
      'nearMiss kind: "EngineEnterpriceDatabse" is not known here (did you mean EngineEnterpriseDatabase?)',
    ],
  ],
  [
    "a short name as the kind",
    { ...edb, kind: "EAADB" },
    [
      'nearMiss kind: "EAADB" is not known here (did you mean EngineEnterpriseActiveActiveDatabase?)',
    ],
  ],
  [
    "no kind in the group",
    { apiVersion: edb.apiVersion },
    ["nearMiss apiVersion: it has no kind, and is of the group app.engine.com"],
  ],
  [
    "another kind of the group",
    { ...edb, kind: "EngineEnterpriseProxy" },
    [
      "otherKind kind: EngineEnterpriseProxy is another kind of app.engine.com: the rules do not check it",
    ],
  ],
  [
    "fields in other capitals, each once",
    { ...edb, Spec: {}, spec: { engineversion: "7.2", modulelist: [] }, metadata: { Name: "a" } },
    [
      'nearMiss metadata.Name: "Name" is not known here (did you mean metadata.name?)',
      'nearMiss Spec: "Spec" is not known here (did you mean spec?)',
    ],
  ],
  [
    "a field within",
    { ...edb, spec: { engineversion: "7.2" } },
    [
      'nearMiss spec.engineversion: "engineversion" is not known here (did you mean spec.engineVersion?)',
    ],
  ],
  [
    "a field of an active-active database",
    { ...eaadb, spec: { GlobalConfigurations: {} } },
    [
      'nearMiss spec.GlobalConfigurations: "GlobalConfigurations" is not known here (did you mean spec.globalConfigurations?)',
    ],
  ],
  [
    "a field of a cluster, and the keys of the object",
    { APIVersion: ec.apiVersion, Kind: ec.kind, spec: { engineupgradepolicy: "major" } },
    [
      'nearMiss APIVersion: "APIVersion" is not known here (did you mean apiVersion?)',
      'nearMiss Kind: "Kind" is not known here (did you mean kind?)',
      'nearMiss spec.engineupgradepolicy: "engineupgradepolicy" is not known here (did you mean spec.engineUpgradePolicy?)',
    ],
  ],
])("%s", (_, object, wanted) => {
  expect(
    findNearMisses(object, names).map(({ is, path, cause }) => `${is} ${path.join(".")}: ${cause}`),
  ).toEqual(wanted);
});
