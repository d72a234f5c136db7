/** An API server over HTTP that holds some objects, allows everything and writes nothing. */
import type { KubeObject, Resource } from "../../plugin/domain/kube/objects";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { resourceOf } from "./builders";
import type { Handler, Received, Reply } from "./api-server";

/** Not of OpenShift: what is served tells the platform. */
const resources = [
  ...Object.values(kinds).filter(({ group }) => !group.endsWith("openshift.io")),
  ...[names.edb, names.eaadb, names.ec].map((kind) => resourceOf(kind)),
];

const pathForm =
  /^(?:\/api|\/apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+)(?=\/))?(?:\/([^/]+)(?:\/([^/]+))?)?$/;

/** Answers reads by these objects, questions with yes, and a dry run with the object itself. */
export function serveObjects(objects: readonly KubeObject[]): Handler {
  return ({ method, path, body }: Received) => {
    if (path === "/version") return { body: { major: "1", minor: "33", gitVersion: "v1.33.0" } };
    if (method === "GET") return readObjects(objects, path);
    const isQuestion = path.includes("/selfsubjectaccessreviews");
    return { body: isQuestion ? { status: { allowed: true } } : body };
  };
}

function readObjects(objects: readonly KubeObject[], path: string): Reply | undefined {
  const [, group = "", version = "", namespace, plural, name] = pathForm.exec(path) ?? [];
  const served = resources.filter((one) => one.group === group && one.version === version);
  if (plural === undefined) return listKinds(served);
  const kind = served.find((one) => one.plural === plural)?.kind;
  const held = objects.filter((one) => one.kind === kind && isIn(namespace, one));
  if (kind === undefined) return undefined;
  if (name !== undefined) {
    const found = held.find(({ metadata }) => metadata.name === name);
    return found && { body: found };
  }
  return { body: { kind: `${kind}List`, metadata: { resourceVersion: "7" }, items: held } };
}

function isIn(namespace: string | undefined, { metadata }: KubeObject): boolean {
  return namespace === undefined || metadata.namespace === namespace;
}

function listKinds(served: readonly Resource[]): Reply | undefined {
  const listed = served.map(({ plural, kind }) => ({ name: plural, kind, namespaced: true }));
  return listed.length === 0 ? undefined : { body: { resources: listed } };
}
