/** What is being deleted: an upgrade writes into none of it, and the operator may end what is left (Facts 7, 8). */
import { ec, text } from "../names/text";
import { clusterFindings } from "../engine-cluster/findings";
import { deletingDefinitions, deletingNamespace } from "../facts/deletion";
import { deletingCluster } from "../engine-cluster/deletion";
import { deletionFindings, deletionOf } from "../kube/deletion";
import { type FactKey, factSources } from "../facts/facts";
import { type KubeObject, nameOf, namespaceOf } from "../kube/objects";
import { type Check, checksOf, perCluster } from "./check";
import type { CheckContext } from "./context";

const { shared } = checksOf("deletion");

/** The lists of what an upgrade writes beside definitions, clusters and databases. */
const writtenKeys = [
  "deployments",
  "services",
  "webhookSecrets",
  "serviceAccounts",
  "webhookConfigurations",
  "roles",
  "roleBindings",
] as const satisfies readonly FactKey[];

/** The checks of what is being deleted; they come first, since all others are about what may soon be gone. */
export const deletionChecks: readonly Check[] = [
  shared(deletionFindings.definition, {
    title: "No definition of the product is being deleted",
    needs: ["definitions"],
    judge: ({ facts }) => deletingDefinitions(facts),
  }),
  shared(deletionFindings.namespace, {
    title: "The operator's namespace is not being deleted",
    needs: ["namespaces"],
    judge: ({ facts }) => deletingNamespace(facts),
  }),
  shared(clusterFindings.deleting, {
    title: text`No ${ec} is being deleted`,
    needs: ["ecs"],
    judge: perCluster((cluster, { facts }) => deletingCluster(facts, cluster)),
  }),
  shared(deletionFindings.object, {
    title: "Nothing that an upgrade writes is being deleted",
    needs: writtenKeys,
    judge: (situation) => writtenObjects(situation).flatMap((object) => deletionOf(object) ?? []),
  }),
];

/** The operator's own objects, by the names and by the release where one is at hand. */
function writtenObjects({ facts, names, target }: CheckContext): readonly KubeObject[] {
  const { operator, webhook } = names;
  const own = [operator.deployment, webhook.service, webhook.secret];
  const wide = [webhook.configuration, webhook.oldConfiguration];
  const bundle = (target.contents?.bundle ?? []).map((one) => `${one.kind}/${nameOf(one)}`);
  const sources = factSources(names);
  return writtenKeys.flatMap((key) => {
    const { kind } = sources[key].resource;
    return facts.objects[key].filter((object) => {
      const name = nameOf(object);
      const isWide = namespaceOf(object) === "";
      if (!isWide && namespaceOf(object) !== facts.namespace) return false;
      return (isWide ? wide : own).includes(name) || bundle.includes(`${kind}/${name}`);
    });
  });
}
