import { defaultNames as names } from "../../../../plugin/domain/names";
import { configuredNamespaces, namesIn } from "../../../../plugin/domain/rbac/managed";

const deployment = (
  env: readonly object[] | undefined,
  name: string = names.operator.container,
) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {},
  spec: { template: { spec: { containers: [{ name: "other" }, { name, env }] } } },
});
const configMap = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: {}, data });
const listed = { name: "EDB_NAMESPACES", value: "a, b" };
const fromMap = (name: string) => ({
  name: "EDB_NAMESPACES",
  valueFrom: { configMapKeyRef: { name, key: "EDB_NAMESPACES" } },
});
const map = names.configMap.name;

test.each([
  ["nothing", undefined, undefined, { is: "none" }],
  [
    "an entry beats the ConfigMap",
    deployment([listed]),
    configMap({ EDB_NAMESPACES: "c" }),
    { is: "list", namespaces: ["a", "b"] },
  ],
  [
    "the ConfigMap's list",
    deployment([]),
    configMap({ EDB_NAMESPACES: "c,c" }),
    { is: "list", namespaces: ["c"] },
  ],
  [
    "the list beats the label",
    undefined,
    configMap({ EDB_NAMESPACES: "c", EDB_NAMESPACES_LABEL: "k" }),
    { is: "list", namespaces: ["c"] },
  ],
  [
    "an empty entry hides the ConfigMap's list",
    deployment([{ name: "EDB_NAMESPACES" }]),
    configMap({ EDB_NAMESPACES: "c", EDB_NAMESPACES_LABEL: "k" }),
    { is: "label", selector: "k", bareKey: "k" },
  ],
  [
    "a label with a value",
    undefined,
    configMap({ EDB_NAMESPACES_LABEL: "k=v" }),
    { is: "label", selector: "k=v" },
  ],
  [
    "an entry that reads the ConfigMap",
    deployment([fromMap(map)]),
    configMap({ EDB_NAMESPACES: "c" }),
    { is: "list", namespaces: ["c"] },
  ],
  ["an entry from elsewhere", deployment([fromMap("other")]), undefined, { is: "unknown" }],
  [
    "a label from elsewhere",
    deployment([{ name: "EDB_NAMESPACES_LABEL", valueFrom: {} }]),
    undefined,
    { is: "unknown" },
  ],
  [
    "the first container where none is the operator's",
    deployment([listed], "x"),
    undefined,
    { is: "none" },
  ],
] as const)("%s", (...[, found, settings, wanted]) => {
  const configured = configuredNamespaces({ deployment: found, configMap: settings, names });
  expect(configured).toMatchObject(wanted);
  expect("bareKey" in configured).toBe("bareKey" in wanted);
});

test("a list is separated by commas, blanks and line ends", () => {
  expect(namesIn(" a,b\nc a ")).toEqual(["a", "b", "c"]);
});
