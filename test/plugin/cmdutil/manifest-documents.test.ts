import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseManifests } from "../../../plugin/cmdutil/manifest-documents";
import { InputError } from "../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { judgeContents } from "../../../plugin/domain/release/contents";
import { aFolder } from "../../support/a-folder";
import { typed } from "../../support/program-world";

const role = (rules: unknown, more: object = {}): object => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "edb-role", ...more },
  rules,
});
const rule = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
const text = (...documents: readonly unknown[]): string =>
  documents.map((document) => JSON.stringify(document)).join("\n---\n");

test.each<[string, readonly unknown[]]>([
  ["objects that fit", [role([rule]), role(null)]],
  ["an object of the operator's own kinds", [{ ...role("x"), apiVersion: "app.engine.com/v1" }]],
  ["what is no object of a cluster", [{ values: 1 }, { apiVersion: "v1", kind: "Pod" }]],
])("%s: the documents as they are", (_name, documents) => {
  expect(parseManifests(text(...documents), "role.yaml")).toEqual(documents);
});

test("every field of another type is named, in lists too", () => {
  const items = [role([{ ...rule, verbs: "get" }]), role([null], { name: "b", namespace: "a" })];
  const read = () => parseManifests(text({ apiVersion: "v1", kind: "List", items }), "role.yaml");
  expect(read).toThrow(InputError);
  expect(read).toThrow(
    expect.objectContaining({
      problems: [
        "role.yaml: Role/edb-role: rules[0].verbs is a text instead of a list",
        "role.yaml: Role/a/b: rules[0] is null instead of a map",
      ],
      hint: "give a release as it was published",
    }) as Error,
  );
});

test("a bundle with such a field is no release", () => {
  const file = { text: text(role("x")), source: "bundle.yaml" };
  const release = { source: "r", sha256: "", file: () => file };
  expect(
    judgeContents(release, { platform: "kubernetes", names, parse: parseManifests }),
  ).toMatchObject({
    is: "unfit",
    problems: expect.arrayContaining([
      "bundle.yaml: Role/edb-role: rules is a text instead of a list",
    ]) as string[],
  });
});

test.each([
  ["reapply-rbac", role("x"), "Role/edb-role: rules is a text instead of a list"],
  [
    "upgrade-webhook",
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "w" },
      webhooks: [{ name: "w", rules: [{ resources: [7] }] }],
    },
    "ValidatingWebhookConfiguration/w: webhooks[0].rules[0].resources[0] is a number instead of a text",
  ],
])("%s --template ends with 2 before a cluster is reached", async (command, object, problem) => {
  const file = join(aFolder("template"), "template.yaml");
  writeFileSync(file, text(object));
  const { code, err } = await typed([command, "--template", file, "-n", "engine"]);
  expect([code, err]).toEqual([2, expect.stringContaining(`${file}: ${problem}`)]);
});
