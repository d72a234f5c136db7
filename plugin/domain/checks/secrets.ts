/** Secrets that objects name: there, and with the items that are read from them; never a value. */
import { ec, text } from "../names/text";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import { getPath, renderValue, asString } from "../base/values";
import { type Check, makeChecks, on, perCluster } from "./check";
import type { Found } from "../diagnosis/symptom";
import { type CheckContext, listPlaces } from "./context";
import { readName } from "../kube/objects";
import type { SecretsNamed } from "./needs";
import { secretAbsent } from "../certificate/certificate";
import { secretList } from "../admission/symptoms";
import { judgeSecrets } from "../references/judge";
import { isKeptHere, listReferences, type NamingObject } from "../references/read";
import {
  listNamedSecrets,
  listNamers,
  type NamedList,
  namingLists,
  type NamedSecret,
} from "../references/secrets";
import { keepsSecretsHere, type SecretUse } from "../references/table";

/** Those of one list, of what was read; undefined where what names them may not be read. */
function listSecretNames(facts: Facts, list: NamedList): readonly NamedSecret[] | undefined {
  if (!namingLists[list].every((key) => isKnown(facts, key))) return undefined;
  return listNamedSecrets(listNamers({ ...facts, places: listPlaces(facts) }, list), list, facts);
}

/** The Secrets of both lists. */
export function listSecretsNamed(facts: Facts): SecretsNamed {
  return {
    namedSecrets: listSecretNames(facts, "namedSecrets"),
    referredSecrets: listSecretNames(facts, "referredSecrets"),
  };
}

/** What is wrong with the Secrets of one use. */
export function judgeUse({ clusters, facts }: CheckContext, use: SecretUse): readonly Found[] {
  const remotes = facts.objects.ercs.filter(
    ({ metadata }) => metadata.namespace === facts.namespace,
  );
  const objects: readonly NamingObject[] = [
    ...clusters.map((object) => ({ by: "ec" as const, object })),
    ...remotes.map((object) => ({ by: "erc" as const, object })),
  ];
  return judgeSecrets(facts, objects, use);
}

const rest = makeChecks("rest");

/** The checks of the REST API. */
export const restChecks: readonly Check[] = [
  rest.warning("REST-CREDENTIALS", "S105", {
    title: "The Secret with the REST credentials is there",
    cause: "the Secret with the credentials of the REST API is absent or lacks an item",
    fix: "give another with --api-credentials-secret where a command needs the REST API",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeUse(situation, "credentials"),
  }),
  rest.warning("REST-CREDENTIALS-ELSEWHERE", "Facts 7", {
    title: "The REST credentials are in a Secret",
    cause: text`the ${ec} keeps the credentials of the REST API elsewhere, where this tool does not look`,
    fix: "put them in a Secret for now, and name it with --api-credentials-secret",
    needs: ["ecs"],
    judge: perCluster((cluster, { names }) => {
      const path = names.ecFields.credentialSecretType;
      if (keepsSecretsHere(cluster, names)) return undefined;
      const others = listReferences({ by: "ec", object: cluster }, names)
        .filter((reference) => !isKeptHere(reference, [cluster], names))
        .filter(({ row, name }) => row.use !== "credentials" && name !== undefined)
        .map(({ name, field }) => `${String(name)} (${field})`);
      const alike = others.length === 0 ? "" : `, as are ${others.join(", ")}, not checked either`;
      return on(cluster, `they are of type ${renderValue(getPath(cluster, path))}${alike}`, {
        field: path.join("."),
      });
    }),
  }),
  rest.warning("REST-SERVICE-ABSENT", "Facts 9", {
    title: text`The Service of every ${ec} exists`,
    cause: text`there is no Service named like the ${ec}, by which the REST API is reached`,
    fix: "see the operator's log; or reach the API by --api-url",
    needs: ["ecs", "services"],
    judge: perCluster((cluster, { facts }) => {
      const name = readName(cluster);
      if (factNamed(facts, "services", { name }) !== undefined) return undefined;
      return on(cluster, `there is no Service ${name} in namespace ${facts.namespace}`);
    }),
  }),
  rest.warning("REST-SERVICE-PORT", "Facts 9", {
    title: text`The Service of every ${ec} has the port of the REST API`,
    cause: text`the Service named like the ${ec} does not have the port of the REST API`,
    fix: "find out who changed it; or reach the API by --api-url",
    needs: ["ecs", "services"],
    judge: perCluster((cluster, { facts, names }) => {
      const service = factNamed(facts, "services", { name: readName(cluster) });
      if (service === undefined) return undefined;
      const ports = (service.spec?.ports ?? []).map(({ port }) => String(port));
      if (ports.includes(names.restPort)) return undefined;
      return on(service, `it has the ports ${ports.join(", ")}, not ${names.restPort}`);
    }),
  }),
  rest.warning("REST-DATABASE-UID", "Facts 10", {
    title: "Every active database reports its uid",
    cause: "an active database does not report its uid: a call has to find it by name",
    fix: "check in the REST API's list of databases which uid it has",
    needs: ["edbs", "ecs", "namespaces", "deployments", "configMaps"],
    judge: ({ databases, names: { edbFields } }) =>
      databases
        .filter(
          ({ kind, object }) => kind === "edb" && getPath(object, edbFields.status) === "active",
        )
        .filter(({ object }) => asString(getPath(object, edbFields.databaseUid)) === undefined)
        .map(({ object }) =>
          on(object, "its status has no uid", { field: edbFields.databaseUid.join(".") }),
        ),
  }),
];

const certificate = makeChecks("certificate");

/** The checks of the certificate. */
export const certificateChecks: readonly Check[] = secretList.map((row) =>
  certificate.ofSymptom(row, row.code === secretAbsent.code ? {} : { wants: "certificate" }),
);
