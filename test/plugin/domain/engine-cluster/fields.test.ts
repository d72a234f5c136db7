import {
  isAutoUpgraded,
  autoPathIn,
  autoPaths,
} from "../../../../plugin/domain/engine-cluster/fields";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anEc } from "./scene";

const [usual, direct] = autoPaths(names);

test.each([
  ["neither", {}, false],
  ["below upgradeSpec", { upgradeSpec: { autoUpgradeEngineEnterprise: true } }, true],
  ["directly", { autoUpgradeEngineEnterprise: true }, true],
  ["false", { upgradeSpec: { autoUpgradeEngineEnterprise: false } }, false],
  ["a text", { autoUpgradeEngineEnterprise: "true" }, false],
])("automatic: %s", (_title, spec, expected) => {
  expect(isAutoUpgraded(anEc(spec), names)).toBe(expected);
});

const definition = (spec: object, version = "v1"): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "x" },
  spec: {
    versions: [{ name: version, schema: { openAPIV3Schema: { properties: { spec } } } }],
  },
});
const field = { autoUpgradeEngineEnterprise: { type: "boolean" } };

test.each<[string, KubeObject | undefined, readonly string[] | undefined]>([
  ["unread: as definitions are known to have it", undefined, usual],
  ["of another version alone", definition({}, "v9"), usual],
  ["below upgradeSpec", definition({ properties: { upgradeSpec: { properties: field } } }), usual],
  ["directly under spec", definition({ properties: field }), direct],
  ["nowhere", definition({ properties: { nodes: {} } }), undefined],
  ["kept whatever it is", definition({ "x-kubernetes-preserve-unknown-fields": true }), usual],
])("the field is written where the definition has it: %s", (_title, object, path) => {
  expect(autoPathIn(object, "v1", names)).toEqual(path);
});
