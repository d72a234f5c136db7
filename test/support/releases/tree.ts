/** The tree of a release: every file that the procedure needs, by its path (S15, S26, S34). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { renderDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { definitionsOf } from "./definitions";
import { deployment, service, serviceAccount } from "./operator";
import { packFiles } from "./pack";
import { binding, constraint, consumerRules, operatorRules, role } from "./rights";
import { releaseShapes, type ReleaseVersion } from "./versions";

const { operator, rbac } = names;
const webhookFile = join(__dirname, "../../../manifests/admission/webhook.yaml");

/** The objects of the bundle, in the file's order; up to 7.8 the one for OpenShift has the SCC. */
export function bundleOf(version: ReleaseVersion, openshift = false): readonly KubeObject[] {
  const withConstraint = openshift && !releaseShapes[version].unprivileged;
  return [
    role("Role", operator.role, operatorRules(version, openshift)),
    binding("Role", operator.roleBinding, [{ name: operator.serviceAccount }]),
    serviceAccount(),
    service(),
    ...definitionsOf(version),
    ...(withConstraint ? [constraint(version)] : []),
    deployment({
      version,
      openshift: String(openshift),
      image: `${names.images.operator}:${version}`,
    }),
  ];
}

/** The texts of a release's files by their paths. */
export function releaseFiles(version: ReleaseVersion): Readonly<Record<string, string>> {
  const { deployFolder, tokens } = releaseShapes[version];
  const own = { name: operator.serviceAccount, namespace: tokens.namespace };
  const cluster = { name: tokens.account, namespace: tokens.namespace };
  const objects: Readonly<Record<string, readonly KubeObject[]>> = {
    "bundle.yaml": bundleOf(version),
    "openshift.bundle.yaml": bundleOf(version, true),
    "openshift/scc.yaml": [constraint(version)],
    "openshift/ec_rhel.yaml": [sampleCluster(version)],
    "multi-namespace-edb/role.yaml": [role("Role", rbac.consumerRole, consumerRules(version))],
    "multi-namespace-edb/role_binding.yaml": [
      binding("Role", rbac.consumerBinding, [own, cluster]),
    ],
    "multi-namespace-edb/operator_cluster_role.yaml": [
      role("ClusterRole", rbac.labelRole, [
        { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] },
      ]),
    ],
    "multi-namespace-edb/operator_cluster_role_binding.yaml": [
      binding("ClusterRole", rbac.labelBinding, [own]),
    ],
  };
  const texts: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Object.entries(objects).map(([path, each]) => [path, renderDocuments(each)]),
    ),
    "admission/webhook.yaml": readFileSync(webhookFile, "utf8"),
  };
  const prefix = deployFolder ? "deploy/" : "";
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [prefix + path, text]));
}

/** The cluster that a release shows as a sample. */
function sampleCluster(version: ReleaseVersion): KubeObject {
  return {
    apiVersion: `${names.group}/${names.version}`,
    kind: names.ec.kind,
    metadata: { name: "ec" },
    spec: { nodes: 3, engineEnterpriseImageSpec: { versionTag: releaseShapes[version].cluster } },
  };
}

/** Writes the tree of a release into a folder, and gives the folder back. */
export function writeRelease(folder: string, version: ReleaseVersion): string {
  return writeFiles(folder, releaseFiles(version));
}

/** Packs the tree of a release, in a folder of its own as published archives have it. */
export async function packRelease(file: string, version: ReleaseVersion): Promise<string> {
  const files = Object.entries(releaseFiles(version)).map(([path, text]) => ({
    name: `engine-enterprise-${version}/${path}`,
    text,
  }));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await packFiles(files));
  return file;
}

/** Writes texts under a folder by their paths. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}
