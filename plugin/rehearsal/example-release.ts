/** The release that a rehearsal upgrades the built-in example to (example-release.json): its files, under the names in use. */
import { folderDigest } from "../adapters/release/folder";
import { shippedRbac, shippedTemplate } from "../adapters/shipped";
import { parseDocuments, renderDocuments } from "../adapters/yaml";
import type { Names } from "../domain/names";
import { rebrand } from "../domain/rebrand";
import type { Release } from "../domain/release/contents";
import { productDefinitions } from "./example";
import written from "./example-release.json";
import { exampleReleaseName } from "./model";

/** Every file that is looked for in a release, made of the manifests that the tool ships. */
export function exampleRelease(names: Names): Release {
  const { release } = names;
  const shipped = Object.entries(shippedRbac()).map(
    ([file, text]) => [file, renamed(text, file, names)] as const,
  );
  const roles = new Map(shipped);
  const texts: readonly (readonly [readonly string[], string | undefined])[] = [
    [release.bundle, bundle(names, false)],
    [release.openshiftBundle, bundle(names, true)],
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
function bundle(names: Names, openshift: boolean): string {
  const [role, ...others] = written;
  // the last rule is OpenShift's
  const rules = openshift ? role?.rules : role?.rules?.slice(0, -1);
  const objects = [{ ...role, rules }, ...others].map((object) => rebrand(object, names));
  return renderDocuments([
    ...objects.slice(0, -1),
    ...productDefinitions(names),
    ...objects.slice(-1),
  ]);
}
