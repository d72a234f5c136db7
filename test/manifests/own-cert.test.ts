import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names";
import { at, list, own } from "../../plugin/domain/values";
import { placesOf } from "../../webhook/own-cert-requests";

const folder = join(__dirname, "../../manifests/webhook-own-cert");
const read = (file: string): unknown => load(readFileSync(join(folder, file), "utf8"));
const get = (value: unknown, path: string): unknown => at(value, path.split("."));
const base = load(readFileSync(join(folder, "../webhook/deployment.yaml"), "utf8"));
const { secret, lease, configuration } = placesOf(names, names.companion.namespace);

test("the overlay lists each of its files, over the base", () => {
  const kustomization = read("kustomization.yaml");
  const listed = [
    ...list(own(kustomization, "resources")),
    ...list(own(kustomization, "patches")).map((patch) => own(patch, "path")),
  ];
  const files = readdirSync(folder).filter((file) => file !== "kustomization.yaml");
  expect(listed.sort()).toEqual(["../webhook", ...files].sort());
});

test("the patch fits the base: the same container and volume, optional at start", () => {
  const patch = read("deployment.yaml");
  const part = (value: unknown, name: string): unknown =>
    list(get(value, `spec.template.spec.${name}`))[0];
  expect(own(patch, "metadata")).toEqual({
    name: get(base, "metadata.name"),
    namespace: get(base, "metadata.namespace"),
  });
  expect(own(part(patch, "containers"), "name")).toBe(own(part(base, "containers"), "name"));
  expect(own(part(patch, "containers"), "env")).toEqual([
    { name: "ENGINE_WEBHOOK_OWN_CERT", value: "true" },
  ]);
  expect(part(patch, "volumes")).toEqual({
    name: own(part(base, "volumes"), "name"),
    secret: { optional: true },
  });
});

test("it may read and patch its three objects by name, create two of them, and nothing else", () => {
  expect(own(read("cluster_role.yaml"), "rules")).toEqual([
    {
      apiGroups: [configuration.group],
      resources: [configuration.resource],
      resourceNames: [configuration.name],
      verbs: ["get", "patch"],
    },
  ]);
  expect(own(read("role.yaml"), "rules")).toEqual([
    ...[secret, lease].map(({ group, resource, name }) => ({
      apiGroups: [group],
      resources: [resource],
      resourceNames: [name],
      verbs: ["get", "patch"],
    })),
    ...[secret, lease].map(({ group, resource }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: ["create"],
    })),
  ]);
});

test.each(["cluster_role", "role"])("its %s is bound to the account of the pods", (role) => {
  const binding = read(`${role}_binding.yaml`);
  expect(get(binding, "roleRef.name")).toBe(get(read(`${role}.yaml`), "metadata.name"));
  expect(get(binding, "roleRef.kind")).toBe(own(read(`${role}.yaml`), "kind"));
  expect(own(binding, "subjects")).toEqual([
    {
      kind: "ServiceAccount",
      name: get(base, "spec.template.spec.serviceAccountName"),
      namespace: names.companion.namespace,
    },
  ]);
  const namespace = role === "role" ? names.companion.namespace : undefined;
  expect(get(binding, "metadata.namespace")).toBe(namespace);
  expect(get(read(`${role}.yaml`), "metadata.namespace")).toBe(namespace);
});
