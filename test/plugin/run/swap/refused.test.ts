/** What refuses a swap before its first write: nothing is written, and the finding says what to do. */
import { defaultNames } from "../../../../plugin/domain/names";
import type { ExitCode } from "../../../../plugin/domain/errors";
import type { KubeObject } from "../../../../plugin/domain/objects";
import type { Pair } from "../../../../plugin/domain/webhook/probe";
import type { SwapOptions } from "../../../../plugin/run/swap/deps";
import {
  aNamespace,
  aNewConfiguration,
  type ConfigurationChanges,
  ownerMarks,
  resourceOf,
  testCa,
} from "../../../support/builders";
import { applyNew, codesOf, expectWanted, Scene, type Start } from "./scene";

const { group, version, edb, eaadb, erc } = defaultNames;
const guarded = [edb, eaadb, erc].map(({ plural }) => plural);

function ownPair(namespace: string): Pair {
  const object = (spec: object): KubeObject => ({
    apiVersion: `${group}/${version}`,
    kind: edb.kind,
    metadata: { name: "mine", namespace },
    spec,
  });
  const denies = [{ what: "a bad version", object: object({ engineVersion: "0.0" }) }];
  const resource = resourceOf(edb);
  return { kind: edb.kind, resource, accept: object({}), denies };
}

/** The rules of a newer release. */
function rules(changes: Readonly<Record<string, unknown>>) {
  const operations = ["CREATE", "UPDATE"];
  const apiVersions = [version];
  return {
    entry: {
      rules: [{ apiGroups: [group], apiVersions, operations, resources: guarded, ...changes }],
    },
  };
}

/** A configuration beside the two that a swap knows, with an entry as the new one has it. */
function beside(changes: ConfigurationChanges = {}, name = "made-by-olm"): KubeObject {
  const object = aNewConfiguration(changes);
  return { ...object, metadata: { ...object.metadata, name } };
}
const byOlm = { metadata: ownerMarks.OLM };
const byHelm = { metadata: ownerMarks.Helm };
const olmService = {
  clientConfig: {
    service: { name: "operator-service", namespace: "engine", path: "/admission" },
    caBundle: testCa,
  },
};
const byLabel = (value: string) => ({ namespaceSelector: { matchLabels: { team: value } } });

interface Row {
  readonly name: string;
  readonly start: Start;
  /** A third configuration. */
  readonly beside?: KubeObject;
  readonly options?: Partial<SwapOptions>;
  readonly code: ExitCode;
  readonly errors: readonly string[];
  readonly says: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: "the live entry guards more resources",
    start: { new: rules({ resources: [...guarded, "engineenterpriseacls"] }) },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`engineenterpriseacls.${group} (CREATE, UPDATE)`, "--take-template-rules"],
  },
  {
    name: "the live entry guards more operations",
    start: { new: rules({ operations: ["*"] }) },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`${edb.plural}.${group} (DELETE, CONNECT)`],
  },
  {
    name: "the live entry guards more groups",
    start: { new: rules({ apiGroups: [group, "batch"] }), old: true },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`${edb.plural}.batch (CREATE, UPDATE)`],
  },
  {
    name: "the live entry guards more, and its CA is empty",
    start: { new: { ...rules({ operations: ["CREATE", "UPDATE", "DELETE"] }), caBundle: "" } },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`${erc.plural}.${group} (DELETE)`],
  },
  {
    name: "OLM has made its own configuration, and there is none of ours",
    start: {},
    beside: beside(byOlm),
    code: 5,
    errors: ["WEBHOOK-OWNED"],
    says: ["OLM owns it", "judge every edit twice", "InstallPlan"],
  },
  {
    name: "OLM's calls the Service that OLM has made, under the same entry name",
    start: { old: true },
    beside: beside({ ...byOlm, entry: olmService }),
    code: 5,
    errors: ["WEBHOOK-OWNED"],
    says: ["OLM owns it"],
  },
  {
    name: "a chart's calls the same Service under another entry name",
    start: { new: true },
    beside: beside({ ...byHelm, entry: { name: "chart.admission.engine" } }),
    code: 5,
    errors: ["WEBHOOK-OWNED"],
    says: ["Helm owns it", "helm upgrade"],
  },
  {
    name: "a conflict and a loss: the conflict counts",
    start: { new: rules({ operations: ["*"] }) },
    beside: beside(byOlm),
    code: 5,
    errors: ["WEBHOOK-OWNED", "WEBHOOK-LOSES-RULES"],
    says: ["OLM owns it"],
  },
  {
    name: "nobody's has an entry of the same name for every namespace",
    start: {},
    beside: beside(),
    code: 3,
    errors: ["PROBE-AMBIGUOUS"],
    says: [defaultNames.webhook.entry, "--no-probe"],
  },
  {
    name: "nobody's has an entry of the same name for the namespace of a pair of one's own",
    start: { old: true },
    beside: beside(),
    options: { probePair: ownPair("engine") },
    code: 3,
    errors: ["PROBE-AMBIGUOUS"],
    says: ["delete that configuration"],
  },
];

describe("nothing is written where", () => {
  test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const scene = new Scene(row.start);
    if (row.beside !== undefined) scene.cluster.put(row.beside);
    const before = [scene.live(), scene.old()];

    const report = await scene.run(row.options);

    expect(report.exit).toMatchObject({ code: row.code });
    const errors = report.findings?.filter(({ severity }) => severity === "error") ?? [];
    expect(errors.map(({ code }) => code)).toEqual(row.errors);
    const text = errors.map(({ cause, fix }) => `${cause} ${fix}`).join(" ");
    for (const part of row.says) expect(text).toContain(part);
    expect(scene.cluster.written).toEqual([]);
    expect([scene.live(), scene.old()]).toEqual(before);
  });
});

test("--take-template-rules takes them away, and says which", async () => {
  const scene = new Scene({ new: rules({ resources: [...guarded, "engineenterpriseacls"] }) });
  const report = await scene.run({ takeTemplateRules: true });
  expect(report.exit.code).toBe(0);
  expect(scene.cluster.written).toEqual([applyNew]);
  expect(codesOf(report)).toEqual(["WEBHOOK-LOSES-RULES"]);
  expect(report.findings?.[0]).toMatchObject({ severity: "warning" });
  expectWanted(scene);
});

test("the old configuration's operations are never counted as lost", async () => {
  const scene = new Scene({ old: rules({ operations: ["*"], resources: ["*"] }) });
  expect((await scene.run()).exit.code).toBe(0);
  expectWanted(scene);
});

describe("an entry of the same name beside ours does no harm where", () => {
  const selected = { ...byOlm, namespace: "other", entry: byLabel("other") };
  test.each<[string, KubeObject, Partial<SwapOptions>, readonly string[]]>([
    [
      "it is another operator's, for another namespace",
      beside(selected),
      {},
      ["WEBHOOK-OWNED", "WEBHOOK-ABSENT"],
    ],
    [
      "it is nobody's, and calls the same webhook for another namespace",
      beside({ entry: byLabel("other") }),
      {},
      ["WEBHOOK-OTHER-CONFIGURATION"],
    ],
    [
      "a pair of one's own is for a namespace that it does not select",
      beside({ entry: byLabel("other") }),
      { probePair: ownPair("engine") },
      ["WEBHOOK-OTHER-CONFIGURATION"],
    ],
    [
      "a pair of one's own is for a namespace that does not exist",
      beside({ entry: byLabel("other") }),
      { probePair: ownPair("gone") },
      ["WEBHOOK-OTHER-CONFIGURATION"],
    ],
    [
      "nothing is to be proven",
      beside(),
      { probe: false },
      ["WEBHOOK-OTHER-CONFIGURATION", "PROBE-SKIPPED"],
    ],
  ])("%s", async (_name, ...[object, options, codes]) => {
    const scene = new Scene();
    scene.cluster.put(object);
    const report = await scene.run(options);
    expect(report.exit).toMatchObject({ code: 0 });
    expect(codesOf(report)).toEqual(codes);
    expect(scene.cluster.written).toEqual([applyNew]);
  });

  test("another namespace has no such entry: the probe goes there", async () => {
    const scene = new Scene();
    scene.cluster.put(aNamespace("engine", { team: "a" }));
    scene.cluster.put(aNamespace("team-b", { team: "b" }));
    scene.cluster.put(beside({ entry: byLabel("a") }));
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 0 });
    const probed = scene.cluster.calls.filter(({ target }) => target.startsWith(edb.kind));
    expect(new Set(probed.map(({ target }) => target))).toEqual(
      new Set([`${edb.kind}/team-b/kubectl-engine-probe-1`]),
    );
  });
});
