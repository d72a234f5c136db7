import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { chartKey } from "../../../../plugin/domain/operator/chart-objects";
import { judgeRenewed, listUnstable } from "../../../../plugin/domain/operator/chart-renders";

const anObject = (kind: string, name: string, more: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind, metadata: { name } },
  ...more,
});

test("two renders are compared object by object, in both directions", () => {
  const first = [
    anObject("ConfigMap", "same", { data: { a: "1" } }),
    anObject("ConfigMap", "other", { data: { a: "1", b: "1" } }),
    anObject("ConfigMap", "random-1"),
  ];
  const second = [
    anObject("ConfigMap", "same", { data: { a: "1" } }),
    anObject("ConfigMap", "other", { data: { a: "2", c: "1" } }),
    anObject("ConfigMap", "random-2"),
  ];
  const key = (name: string): string => chartKey(anObject("ConfigMap", name), "engine");
  expect([...listUnstable(first, second, "engine")]).toEqual([
    [key("other"), [".data.a", ".data.c", ".data.b"]],
    [key("random-1"), [""]],
  ]);
});

const secret = anObject("Secret", names.webhook.secret);
const caBundle = '.webhooks[name="x"].clientConfig.caBundle';
const trust = "pair or the CA of the admission webhook";

test.each<[string, KubeObject, readonly string[], readonly string[], string | undefined]>([
  ["a new pair", secret, [".data.cert"], [], trust],
  ["a pair of each render", secret, [], [".data.cert"], trust],
  ["a label of the pair", secret, [".metadata.labels.x"], [], undefined],
  ["another Secret", anObject("Secret", "x"), [".data.a"], [], undefined],
  ["a random password", anObject("Secret", "x"), [], [".data.a"], "other values at .data.a"],
  ["a random name", anObject("Job", "x"), [], [""], "another name"],
  ["a new CA", anObject("ValidatingWebhookConfiguration", "x"), [caBundle], [], trust],
  [
    "a new CA of the other kind",
    anObject("MutatingWebhookConfiguration", "x"),
    [caBundle],
    [],
    trust,
  ],
  [
    "a rule of a configuration",
    anObject("ValidatingWebhookConfiguration", "x"),
    [".a"],
    [],
    undefined,
  ],
  ["nothing", anObject("ConfigMap", "x"), [], [], undefined],
])("%s", (_, object, changed, unstable, says) => {
  const judge = (isBlind: boolean) =>
    judgeRenewed({ object, changed, unstable }, { names, isBlind });
  expect(judge(false)?.cause).toEqual(
    says === undefined ? undefined : expect.stringContaining(says),
  );
  const blind = judge(true)?.cause;
  if (says !== undefined) expect(blind).toMatch(/^unless the chart looks up/);
});
