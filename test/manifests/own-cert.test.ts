import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath, asArray, getOwn } from "../../plugin/domain/base/values";
import { listPlaces } from "../../webhook/own-certificate/requests";

const folder = join(__dirname, "../../manifests/webhook-own-cert");
const read = (file: string): unknown => load(readFileSync(join(folder, file), "utf8"));
const get = (value: unknown, path: string): unknown => getPath(value, path.split("."));
const base = load(readFileSync(join(folder, "../webhook/deployment.yaml"), "utf8"));
const renewal = read("renewal_deployment.yaml");
const containerOf = (deployment: unknown): unknown =>
  asArray(get(deployment, "spec.template.spec.containers"))[0];
const { secret, lease, configuration } = listPlaces(names, names.companion.namespace);

test("the overlay lists each of its files, over the base", () => {
  const kustomization = read("kustomization.yaml");
  const listed = [
    ...asArray(getOwn(kustomization, "resources")),
    ...asArray(getOwn(kustomization, "patches")).map((patch) => getOwn(patch, "path")),
  ];
  const files = readdirSync(folder).filter((file) => file !== "kustomization.yaml");
  expect(listed.sort()).toEqual(["../webhook", ...files].sort());
});

test("the serving pods differ from the base by their role alone: no right, no other volume", () => {
  const patch = read("deployment.yaml");
  expect(getOwn(patch, "metadata")).toEqual({
    name: get(base, "metadata.name"),
    namespace: get(base, "metadata.namespace"),
  });
  const env = [{ name: "ENGINE_WEBHOOK_ROLE", value: "serve" }];
  const containers = [{ name: getOwn(containerOf(base), "name"), env }];
  expect(getOwn(patch, "spec")).toEqual({ template: { spec: { containers } } });
});

describe("the renewing pod", () => {
  const spec = get(renewal, "spec.template.spec");
  const labels = get(renewal, "spec.template.metadata.labels");

  test("renews and nothing else, with the image of the serving pods", () => {
    const container = containerOf(renewal);
    expect(getOwn(container, "env")).toEqual([
      { name: "ENGINE_WEBHOOK_ROLE", value: "renew" },
      { name: "ENGINE_WEBHOOK_OWN_CERT", value: "true" },
    ]);
    expect(getOwn(container, "image")).toBe(getOwn(containerOf(base), "image"));
  });

  test("cannot be called: no port, no ingress, and no Service or budget chooses it", () => {
    expect(getOwn(containerOf(renewal), "ports")).toBeUndefined();
    const policy = getOwn(read("renewal_network_policy.yaml"), "spec");
    expect(get(policy, "podSelector.matchLabels")).toEqual(labels);
    expect(getOwn(policy, "policyTypes")).toEqual(["Ingress", "Egress"]);
    expect(getOwn(policy, "ingress")).toBeUndefined();
    const ofBase = (file: string): unknown =>
      getOwn(load(readFileSync(join(folder, `../webhook/${file}.yaml`), "utf8")), "spec");
    expect(getOwn(policy, "egress")).toEqual(getOwn(ofBase("network_policy"), "egress"));
    expect(get(renewal, "spec.selector.matchLabels")).toEqual(labels);
    expect(getOwn(ofBase("service"), "selector")).not.toEqual(labels);
  });

  test("has no privilege, as the serving pods", () => {
    expect(getOwn(spec, "securityContext")).toEqual(get(base, "spec.template.spec.securityContext"));
    expect(getOwn(containerOf(renewal), "securityContext")).toEqual(
      getOwn(containerOf(base), "securityContext"),
    );
  });

  test("has an account of its own, whose token it asks for itself", () => {
    const account = read("renewal_service_account.yaml");
    expect(getOwn(spec, "serviceAccountName")).toBe(get(account, "metadata.name"));
    expect(getOwn(spec, "serviceAccountName")).not.toBe(
      get(base, "spec.template.spec.serviceAccountName"),
    );
    expect(getOwn(spec, "automountServiceAccountToken")).toBe(true);
    expect(getOwn(account, "automountServiceAccountToken")).toBe(false);
  });
});

test("it may read and patch its three objects by name, create two of them, and nothing else", () => {
  expect(getOwn(read("cluster_role.yaml"), "rules")).toEqual([
    {
      apiGroups: [configuration.group],
      resources: [configuration.resource],
      resourceNames: [configuration.name],
      verbs: ["get", "patch"],
    },
  ]);
  expect(getOwn(read("role.yaml"), "rules")).toEqual([
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

test.each(["cluster_role", "role"])("its %s is bound to the account of the renewing pod alone", (role) => {
  const binding = read(`${role}_binding.yaml`);
  expect(get(binding, "roleRef.name")).toBe(get(read(`${role}.yaml`), "metadata.name"));
  expect(get(binding, "roleRef.kind")).toBe(getOwn(read(`${role}.yaml`), "kind"));
  expect(getOwn(binding, "subjects")).toEqual([
    {
      kind: "ServiceAccount",
      name: get(renewal, "spec.template.spec.serviceAccountName"),
      namespace: names.companion.namespace,
    },
  ]);
  const namespace = role === "role" ? names.companion.namespace : undefined;
  expect(get(binding, "metadata.namespace")).toBe(namespace);
  expect(get(read(`${role}.yaml`), "metadata.namespace")).toBe(namespace);
});
