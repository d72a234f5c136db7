import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  dumpCommand,
  dumpFindings,
  explainMisfit,
  findKubernetesVersion,
  misfitFindings,
} from "../../../../plugin/domain/facts/dump";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { renamed } from "../../../support/renamed";

const aNode = (kubeletVersion: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: { nodeInfo: { kubeletVersion } },
});
const of = (
  apiVersion: string,
  kind: string,
  managedFields?: KubeObject["metadata"]["managedFields"],
): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x", namespace: "engine", ...(managedFields && { managedFields }) },
});
const node = aNode("v1.33.4");

test("the guide to rehearsals shows the command that makes a dump", () => {
  const guide = readFileSync(join(__dirname, "../../../../docs/guides/rehearse.md"), "utf8");
  expect(guide).toContain(`$ ${dumpCommand(names).join(" ")} > dump.yaml`);
});

test("the command asks for nodes and managed fields, and for the kinds under their names", () => {
  const [, , list = "", ...flags] = dumpCommand(renamed);
  expect(list.split(",")).toEqual(expect.arrayContaining(["nodes", "secrets", renamed.edb.short]));
  expect(flags).toContain("--show-managed-fields");
});

test.each([
  ["one node", [node], "v1.33.4"],
  [
    "the newest of several",
    [aNode("v1.9.1"), aNode("v1.32.1"), aNode("v1.33.4+k3s1")],
    "v1.33.4+k3s1",
  ],
  ["a node that tells nothing", [aNode(undefined), aNode("x")], undefined],
  ["no node", [of("v1", "Service")], undefined],
  ["a kind of someone else", [{ ...node, apiVersion: "x.io/v1" }], undefined],
])("the version of Kubernetes: %s", (_name, objects, wanted) => {
  expect(findKubernetesVersion(objects)).toBe(wanted);
});

test.each([
  ["a Role", of("rbac.authorization.k8s.io/v1", "Role")],
  [
    "the webhook configuration",
    of("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
  ],
  ["the operator's Deployment", of("apps/v1", "Deployment")],
  ["an EC", of("app.engine.com/v1", names.ec.kind)],
])("%s without managed fields is told, with the command that keeps them", (_name, object) => {
  const [finding, ...more] = dumpFindings([object, node], names, "v1.34.4");
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ code: "DUMP-NO-OWNERS", severity: "warning" });
  expect(finding?.cause).toContain("1 of 2 objects");
  expect(finding?.fix).toContain("--show-managed-fields");
});

test.each([
  ["a Role with its owner", of("rbac.authorization.k8s.io/v1", "Role", [{ manager: "kubectl" }])],
  ["a kind that nobody here writes", of("v1", "ConfigMap")],
])("%s is not told", (_name, object) => {
  expect(dumpFindings([object, node], names, "v1.34.4")).toEqual([]);
});

test("without nodes the version that is taken is told", () => {
  expect(dumpFindings([], names, "v1.34.4")).toMatchObject([
    { code: "DUMP-NO-VERSION", cause: expect.stringContaining("v1.34.4 is taken") as string },
  ]);
});

test("an object with fields of another type is one finding, with what was found", () => {
  const misfits = [
    { field: "rules", found: "a text", wanted: "a list" },
    { field: "metadata.generation", found: "a map", wanted: "an integer" },
  ];
  const object = of("rbac.authorization.k8s.io/v1", "Role");
  expect(misfitFindings([{ object, misfits }], names)).toEqual([
    {
      code: "DUMP-FIELD-TYPE",
      severity: "error",
      object: "Role/engine/x",
      field: "rules",
      cause:
        "rules is a text instead of a list, metadata.generation is a map instead of an integer: not used, and what depends on this object is unknown",
      fix: expect.stringMatching(
        /^correct the field .*kubectl get .*, then rehearse again$/,
      ) as string,
      source: "docs/guides/rehearse.md",
    },
  ]);
  expect(explainMisfit({ object, misfits })).toBe(
    "Role/engine/x has a value of another type in rules, metadata.generation",
  );
});

const expanding = (enablePersistentVolumeResize: boolean): KubeObject => ({
  ...of("app.engine.com/v1", names.ec.kind, [{ manager: "kubectl" }]),
  spec: { persistentSpec: { enablePersistentVolumeResize } },
});
const claim = of("v1", "PersistentVolumeClaim");
const elsewhere = { ...claim, metadata: { name: "x", namespace: "shop" } };

test.each([
  ["expands its volumes, and no claim is there", [expanding(true)], ["DUMP-NO-CLAIMS"]],
  ["the claims are those of another namespace", [expanding(true), elsewhere], ["DUMP-NO-CLAIMS"]],
  ["its claims are there", [expanding(true), claim], []],
  ["does not expand volumes", [expanding(false)], []],
])("an EC: %s", (_name, objects, expected) => {
  const found = dumpFindings([...objects, node], names, "v1.34.4");
  expect(found.map(({ code }) => code)).toEqual(expected);
});
