/** The release that a rehearsal upgrades the built-in example to: the files of one, under the names in use. */
import { folderDigest } from "../adapters/release/folder";
import { shippedRbac } from "../adapters/shipped-rbac";
import { shippedTemplate } from "../adapters/shipped-template";
import { parseDocuments, renderDocuments } from "../adapters/yaml";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { rebrand } from "../domain/rebrand";
import type { Release } from "../domain/release/contents";
import { productDefinitions } from "./example-definitions";
import { operatorDeployment, operatorService } from "./example-operator";
import { exampleReleaseName, exampleReleaseVersion } from "./example-places";

const rbac = "rbac.authorization.k8s.io";
const all = ["delete", "get", "list", "patch", "create", "update", "watch"];

/** Every file that is looked for in a release, made of the manifests that the tool ships. */
export function exampleRelease(names: Names): Release {
  const { release } = names;
  const shipped = Object.entries(shippedRbac()).map(
    ([file, text]) => [file, renamed(text, file, names)] as const,
  );
  const roles = new Map(shipped);
  const texts: readonly (readonly [readonly string[], string | undefined])[] = [
    [release.bundle, renderDocuments(bundle(names, false))],
    [release.openshiftBundle, renderDocuments(bundle(names, true))],
    [release.webhook, renamed(shippedTemplate(), "webhook.yaml", names)],
    [release.consumerRole, roles.get("role.yaml")],
    [release.consumerBinding, roles.get("role_binding.yaml")],
    [release.labelRole, roles.get("operator_cluster_role.yaml")],
    [release.labelBinding, roles.get("operator_cluster_role_binding.yaml")],
  ];
  const files = new Map(texts.map(([[path = ""], text = ""]) => [path, text]));
  const bytes = [...files].map(([path, text]) => [path, Buffer.from(text)] as const);
  return {
    source: exampleReleaseName,
    sha256: folderDigest(new Map(bytes)),
    file: (paths) => {
      const path = paths.find((one) => files.has(one));
      const text = path === undefined ? undefined : files.get(path);
      return text === undefined
        ? undefined
        : { text, source: `${path ?? ""} of ${exampleReleaseName}` };
    },
  };
}

function renamed(text: string, file: string, names: Names): string {
  return renderDocuments(parseDocuments(text, file).map((document) => rebrand(document, names)));
}

/** In the order of a published bundle: rights, account, Service, definitions, Deployment. */
function bundle(names: Names, openshift: boolean): readonly KubeObject[] {
  const { operator } = names;
  const labels = { app: operator.appLabel };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name: operator.role, labels },
      rules: rules(names, openshift),
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: operator.roleBinding, labels },
      roleRef: { apiGroup: rbac, kind: "Role", name: operator.role },
      subjects: [{ kind: "ServiceAccount", name: operator.serviceAccount }],
    },
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: operator.serviceAccount, labels },
    },
    operatorService(names, { labels }),
    ...productDefinitions(names),
    operatorDeployment(names, { labels }, exampleReleaseVersion),
  ];
}

/** What an operator of this release does in its own namespace (domain facts 5, 6). */
function rules({ group }: Names, openshift: boolean): readonly object[] {
  const rule = (apiGroup: string, resources: readonly string[], verbs = all): object => ({
    apiGroups: [apiGroup],
    resources,
    verbs,
  });
  const core = ["secrets", "services", "serviceaccounts", "configmaps", "persistentvolumeclaims"];
  return [
    rule(group, ["*"]),
    rule("", core),
    rule("", ["pods"], ["get", "list", "watch", "update", "delete"]),
    rule("", ["pods/exec"], ["create"]),
    rule("", ["events"], ["create", "patch"]),
    rule("discovery.k8s.io", ["endpointslices"], ["get", "list", "watch"]),
    rule("apps", ["deployments", "statefulsets"]),
    rule("policy", ["poddisruptionbudgets"]),
    rule(rbac, ["roles", "rolebindings"]),
    rule("batch", ["jobs", "cronjobs"]),
    ...(openshift
      ? [
          {
            ...rule("security.openshift.io", ["securitycontextconstraints"], ["use"]),
            resourceNames: ["nonroot-v2"],
          },
        ]
      : []),
  ];
}
