/** What stands at a path of a manifest: the place by which a word of several meanings is read. */
import { own, text } from "../values";
import type { Place } from "./sorts";

/** Places that the last field of a path tells. */
const byField: Readonly<Record<string, Place>> = {
  apiVersion: "apiVersion",
  kind: "kind",
  listKind: "kind",
  plural: "plural",
  singular: "singular",
  group: "group",
  apiGroup: "group",
  image: "image",
  serviceAccountName: "ServiceAccount",
  serviceAccount: "ServiceAccount",
  secretName: "Secret",
  "kubernetes.io/service-name": "Service",
};

/** Places that the end of a path tells; `[]` is an item of a list. */
const byEnd: readonly (readonly [end: string, place: Place])[] = [
  ["shortNames.[]", "short"],
  ["resources.[]", "plural"],
  ["apiGroups.[]", "group"],
  ["apiVersions.[]", "version"],
  ["versions.[].name", "version"],
  ["webhooks.[].name", "entry"],
  ["containers.[].name", "container"],
  ["initContainers.[].name", "container"],
  ["service.name", "Service"],
  ["service.path", "path"],
  ["configMapRef.name", "ConfigMap"],
  ["configMapKeyRef.name", "ConfigMap"],
  ["configMapKeyRef.key", "item"],
  ["secretKeyRef.name", "Secret"],
  ["secretKeyRef.key", "item"],
  ["items.[].key", "item"],
  ["items.[].path", "item"],
  ["env.[].name", "item"],
];

/** The variable of the webhook's pods whose value is the operator's namespace. */
const operatorNamespace = "ENGINE_NAMESPACE";

const labelHolders = ["labels", "matchLabels", "selector"];

/** The place of the text at a path; `holder` is the mapping or list that it stands in. */
export function placeOf(
  path: readonly string[],
  holder: unknown,
  document: unknown,
): Place | undefined {
  const end = path.join(".");
  const found = byEnd.find(([known]) => end.endsWith(`.${known}`) || end === known);
  if (found !== undefined) return found[1];
  const last = path.at(-1) ?? "";
  if (end.endsWith("env.[].value") && own(holder, "name") === operatorNamespace) {
    return "operatorNamespace";
  }
  if (Object.hasOwn(byField, last)) return byField[last];
  if (labelHolders.includes(path.at(-2) ?? "")) return "label";
  if (end === "metadata.name") return text(own(document, "kind"));
  return last === "name" ? text(own(holder, "kind")) : undefined;
}
