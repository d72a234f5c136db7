/** The rules outside an admission review: one edit judged by the ECs at hand, as findings. */
import { projectCluster } from "../../../../plugin/domain/rules/clusters";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { RuleOptions } from "../../../../plugin/domain/rules/types";
import type { Json } from "../../../../plugin/domain/base/values";
import {
  listFindings,
  judgeIn,
  labelManifest,
} from "../../../../plugin/commands/validate/violations";

const deny: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: "deny" };
const off: RuleOptions["rules"] = { version: "off", policy: "off", modules: "off" };

const ec = (name: string, spec: object = {}) => ({
  apiVersion: `${names.group}/v1`,
  kind: names.ec.kind,
  metadata: { name, namespace: "engine" },
  spec,
});
const edb = (spec: object, metadata: object = {}): Json => ({
  metadata: { name: "carts", namespace: "shop", ...metadata },
  spec,
});
const of = (name: string) => ({ engineEnterpriseCluster: { name } });
const major = { engineUpgradePolicy: "major" };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

interface Row {
  readonly before?: Json;
  readonly after: Json;
  readonly ecs?: readonly object[];
  /** False where other ECs may be known elsewhere; true where not told. */
  readonly complete?: boolean;
  readonly rules?: Partial<RuleOptions["rules"]>;
  readonly found: readonly string[];
}

test.each<[string, Row]>([
  [
    "a database that changes its EC is checked by both",
    {
      before: edb({ ...of("old"), engineVersion: "7.2" }),
      after: edb({ ...of("new"), engineVersion: "7.4" }),
      ecs: [ec("old"), ec("new", major)],
      found: ["error R2 spec.engineVersion"],
    },
  ],
  [
    "what is unchanged needs no EC",
    {
      before: edb({ ...of("absent"), engineVersion: "9.9" }),
      after: edb({ ...of("absent"), engineVersion: "9.9" }),
      complete: false,
      found: [],
    },
  ],
  [
    "what is being deleted needs none either",
    {
      before: edb({ ...of("absent"), engineVersion: "7.2" }, going),
      after: edb({ ...of("absent"), engineVersion: "7.4" }, going),
      complete: false,
      found: [],
    },
  ],
  [
    "the upgrade policy alone is open without the EC",
    {
      before: edb({ ...of("absent"), engineVersion: "7.2" }),
      after: edb({ ...of("absent"), engineVersion: "7.4" }),
      complete: false,
      rules: { ...off, policy: "deny" },
      found: ["warning RULES-NOT-EVALUATED"],
    },
  ],
  [
    "rules that are off leave nothing open",
    {
      after: edb({ ...of("absent"), engineVersion: "7.4", modulesList: [{ name: "graph" }] }),
      complete: false,
      rules: off,
      found: [],
    },
  ],
  [
    "of a rule that warns, what no EC could change is said without the EC",
    {
      after: edb({ ...of("absent"), engineVersion: 8, modulesList: [{ name: "graph" }] }),
      complete: false,
      rules: { version: "warn" },
      found: ["warning R1 spec.engineVersion", "warning RULES-NOT-EVALUATED"],
    },
  ],
  [
    "a module that an EC may define leaves a version certain",
    {
      after: edb({ ...of("absent"), engineVersion: "v7.4", modulesList: [{ name: "graph" }] }),
      complete: false,
      found: ["error R1 spec.engineVersion", "warning RULES-NOT-EVALUATED"],
    },
  ],
  [
    "the channel of the newest is for the EC to allow",
    {
      after: edb({ ...of("absent"), engineVersion: "latest" }),
      complete: false,
      found: ["warning RULES-NOT-EVALUATED"],
    },
  ],
  [
    "two documents of the EC before",
    {
      before: edb({ ...of("old"), engineVersion: "7.2" }),
      after: edb({ ...of("new"), engineVersion: "7.4" }),
      ecs: [ec("old"), ec("old", major), ec("new")],
      found: ["warning RULES-NOT-EVALUATED"],
    },
  ],
  [
    "several ECs in a cluster that is known as a whole",
    {
      after: edb({ modulesList: [{ name: "graph" }] }),
      ecs: [ec("a"), ec("b", { userDefinedModules: [{ name: "graph" }] })],
      found: ["error R3 spec.modulesList[0].name", "warning RULES-WARNING"],
    },
  ],
  [
    "what is stored is filled in",
    {
      after: edb({ ...of("ec"), engineVersion: "${VERSION}", modulesList: [{ name: "$MODULE" }] }),
      ecs: [ec("ec")],
      found: ["error R1 spec.engineVersion", "error R3 spec.modulesList[0].name"],
    },
  ],
  [
    "a rule that warns about a display name",
    {
      after: edb({ ...of("ec"), modulesList: [{ name: "EngineGears" }, { name: "EngineBloom" }] }),
      ecs: [ec("ec")],
      rules: { modules: "warn" },
      found: ["warning RULES-NOT-EVALUATED"],
    },
  ],
  [
    "a warning of the webhook is one here",
    {
      before: edb({
        ...of("ec"),
        engineVersion: "7.2",
        modulesList: [{ name: "search", version: "1" }],
      }),
      after: edb({
        ...of("ec"),
        engineVersion: "7.4",
        modulesList: [{ name: "search", version: "2" }],
      }),
      ecs: [ec("ec")],
      found: ["warning RULES-WARNING"],
    },
  ],
])("%s", (_name, { before, after, ecs = [], complete = true, rules = {}, found }) => {
  const clusters = ecs.flatMap((one) => projectCluster(one, names) ?? []);
  const settings = { ...deny, ...rules };
  const options: RuleOptions = {
    reading: "target",
    allowLatest: undefined,
    rules: settings,
    names,
  };
  const judge = judgeIn({ options, operatorNamespace: "engine", clusters, complete });
  const findings = listFindings("an object", judge({ kind: "edb", before, after }, "shop"));
  expect(
    findings.map(({ severity, code, field = "" }) => `${severity} ${code} ${field}`.trim()),
  ).toEqual(found);
});

test("what is left out of very many problems is counted", () => {
  const modulesList = Array.from({ length: 500 }, (_none, index) => ({ name: `odd-${index}` }));
  const options: RuleOptions = { reading: "target", allowLatest: undefined, rules: deny, names };
  const clusters = [ec("ec")].flatMap((one) => projectCluster(one, names) ?? []);
  const judge = judgeIn({ options, operatorNamespace: "engine", clusters, complete: true });
  const edit = { kind: "edb" as const, before: undefined, after: edb({ modulesList }) };
  const causes = listFindings("an object", judge(edit, "shop")).map(({ cause }) => cause);
  expect(causes.at(-1)).toBe(`${500 - (causes.length - 1)} more problems are not shown`);
});

test.each<[string, Record<string, unknown>, string]>([
  ["by its name", { kind: "K", metadata: { name: "n" } }, "K/shop/n"],
  ["by the beginning of a name", { kind: "K", metadata: { generateName: "n-" } }, "K/shop/n-*"],
  ["without kind and name", {}, "/shop/*"],
])("an object is called %s", (_name, object, label) => {
  expect(labelManifest(object, "shop")).toBe(label);
});
