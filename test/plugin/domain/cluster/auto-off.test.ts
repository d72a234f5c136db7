import { autoOffEdits } from "../../../../plugin/domain/cluster/plan";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { aDatabase, anEc, factsOf } from "./scene";

const nested = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };
const direct = { autoUpgradeEngineEnterprise: true };
const defined = { userDefinedModules: [{ name: "rg" }] };
const using = (name: string): KubeObject => aDatabase("orders", { moduleList: [{ name }] });

function paths(ec: KubeObject, edbs: readonly KubeObject[]): readonly string[] {
  return autoOffEdits(factsOf({ ecs: [ec], edbs }), ec).map(({ path }) => path.join("."));
}

test.each<[string, KubeObject, readonly KubeObject[], readonly string[]]>([
  [
    "a defined module in use: the field is switched off",
    anEc({ ...nested, ...defined }),
    [using("rg")],
    ["spec.upgradeSpec.autoUpgradeEngineEnterprise"],
  ],
  [
    "one that nothing defines: too",
    anEc(nested),
    [using("rg")],
    ["spec.upgradeSpec.autoUpgradeEngineEnterprise"],
  ],
  [
    "both spellings: both",
    anEc({ ...nested, ...direct, ...defined }),
    [using("rg")],
    ["spec.upgradeSpec.autoUpgradeEngineEnterprise", "spec.autoUpgradeEngineEnterprise"],
  ],
  [
    "one that is installed and not defined: too",
    anEc(nested, { modules: [{ name: "rg", displayName: "EngineGears" }] }),
    [using("EngineGears")],
    ["spec.upgradeSpec.autoUpgradeEngineEnterprise"],
  ],
  ["bundled modules alone: it may follow", anEc(nested), [using("search")], []],
  ["a defined module that nothing uses: too", anEc({ ...nested, ...defined }), [], []],
  ["it is off: nothing to write", anEc(defined), [using("rg")], []],
])("%s", (...[, ec, edbs, expected]) => {
  expect([...paths(ec, edbs)].sort()).toEqual([...expected].sort());
});

test("the edit tells both values", () => {
  const ec = anEc({ ...nested, ...defined });
  const edits = autoOffEdits(factsOf({ ecs: [ec], edbs: [using("rg")] }), ec);
  expect(edits).toMatchObject([{ from: true, to: false }]);
});
