/** What calls of the cluster's REST API need of Kubernetes' objects; none is made (domain facts 9). */
import { factNamed } from "../facts";
import { at, list, own, shown, text } from "../values";
import { type Check, checksOf, on, perCluster } from "./check";
import { judgeSecrets, keepsCredentialsInSecret } from "./secrets";
import { nameOf } from "./situation";

const { warning } = checksOf("rest");

/** The checks of the REST API. */
export const restChecks: readonly Check[] = [
  warning("REST-CREDENTIALS", "S105", {
    title: "The Secret with the REST credentials is there",
    cause: "the Secret with the credentials of the REST API is absent or lacks an item",
    fix: "give another with --api-credentials-secret where a command needs the REST API",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeSecrets(situation, "credentials"),
  }),
  warning("REST-CREDENTIALS-ELSEWHERE", "domain facts 7", {
    title: "The REST credentials are in a Secret",
    cause: "the EC keeps the credentials of the REST API elsewhere, where this tool does not look",
    fix: "put them in a Secret for the time, and give it with --api-credentials-secret",
    needs: ["ecs"],
    judge: perCluster((cluster, { names }) => {
      const path = names.ecFields.credentialSecretType;
      if (keepsCredentialsInSecret(cluster, names)) return undefined;
      return on(cluster, `they are of type ${shown(at(cluster, path))}`, { field: path.join(".") });
    }),
  }),
  warning("REST-SERVICE-ABSENT", "domain facts 9", {
    title: "The Service of every EC exists",
    cause: "there is no Service named like the EC, by which the REST API is reached",
    fix: "see the operator's log; or reach the API by --api-url",
    needs: ["ecs", "services"],
    judge: perCluster((cluster, { facts }) => {
      const name = nameOf(cluster);
      if (factNamed(facts, "services", { name }) !== undefined) return undefined;
      return on(cluster, `there is no Service ${name} in namespace ${facts.namespace}`);
    }),
  }),
  warning("REST-SERVICE-PORT", "domain facts 9", {
    title: "The Service of every EC has the port of the REST API",
    cause: "the Service named like the EC does not have the port of the REST API",
    fix: "see who changed it; or reach the API by --api-url",
    needs: ["ecs", "services"],
    judge: perCluster((cluster, { facts, names }) => {
      const service = factNamed(facts, "services", { name: nameOf(cluster) });
      const ports = list(at(service, ["spec", "ports"])).map((port) => String(own(port, "port")));
      if (service === undefined || ports.includes(names.restPort)) return undefined;
      return on(service, `it has the ports ${ports.join(", ")}, not ${names.restPort}`);
    }),
  }),
  warning("REST-DATABASE-UID", "domain facts 10", {
    title: "Every active database tells its uid",
    cause: "an active database does not tell its uid: a call has to find it by name",
    fix: "see in the REST API's list of databases which uid it has",
    needs: ["edbs", "ecs", "namespaces", "deployments", "configMaps"],
    judge: ({ databases, names: { edbFields } }) =>
      databases
        .filter(({ kind, object }) => kind === "edb" && at(object, edbFields.status) === "active")
        .filter(({ object }) => text(at(object, edbFields.databaseUid)) === undefined)
        .map(({ object }) =>
          on(object, "its status has no uid", { field: edbFields.databaseUid.join(".") }),
        ),
  }),
];
