/** What is being deleted: an upgrade writes into none of it, and the operator may end what is left (Facts 7, 8). */
import { clusterSymptoms } from "../engine-cluster/symptoms";
import { groundSymptoms } from "../operator/ground";
import { deletionFindings, findDeletion } from "../kube/deletion";
import { type FactKey, factSources } from "../facts/facts";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { type Check, makeChecks } from "./check";
import type { CheckContext } from "./context";

const { ofSymptom, shared } = makeChecks("deletion");

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
  ofSymptom(groundSymptoms.definition, { needs: ["definitions"] }),
  ofSymptom(groundSymptoms.namespace, { needs: ["namespaces"] }),
  ofSymptom(clusterSymptoms.deleting),
  shared(deletionFindings.object, {
    title: "Nothing that an upgrade writes is being deleted",
    needs: writtenKeys,
    judge: (situation) =>
      listWrittenObjects(situation).flatMap((object) => findDeletion(object) ?? []),
  }),
];

/** The operator's own objects, by the names and by the release where one is at hand. */
function listWrittenObjects({ facts, names, target }: CheckContext): readonly KubeObject[] {
  const { operator, webhook } = names;
  const own = [operator.deployment, webhook.service, webhook.secret];
  const wide = [webhook.configuration, webhook.oldConfiguration];
  const bundle = (target.contents?.bundle ?? []).map((one) => `${one.kind}/${readName(one)}`);
  const sources = factSources(names);
  return writtenKeys.flatMap((key) => {
    const { kind } = sources[key].resource;
    return facts.objects[key].filter((object) => {
      const name = readName(object);
      const isWide = readNamespace(object) === "";
      if (!isWide && readNamespace(object) !== facts.namespace) return false;
      return (isWide ? wide : own).includes(name) || bundle.includes(`${kind}/${name}`);
    });
  });
}
