/** Secrets that objects name: there, and with the items that are read from them; never a value. */
import { ec, text } from "../names/text";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import { getPath, renderValue, asString } from "../base/values";
import { type Check, makeChecks, on, perCluster } from "./check";
import type { Found } from "../diagnosis/symptom";
import type { CheckContext } from "./context";
import { readName } from "../kube/objects";
import { secretAbsent } from "../certificate/certificate";
import { secretList } from "../admission/symptoms";
import {
  type SecretUse,
  type SecretReference,
  secretReferences,
  keepsSecretsHere,
  secretNames,
} from "../facts/secret-references";

/** The same of what was read; undefined where these may not be read. */
export function listSecretNames(facts: Facts): readonly string[] | undefined {
  const { ecs, ercs } = facts.objects;
  return isKnown(facts, "ecs") && isKnown(facts, "ercs")
    ? secretNames(ecs, ercs, facts)
    : undefined;
}

/** What is wrong with the Secrets of one use. */
export function judgeSecrets(situation: CheckContext, use: SecretUse): readonly Found[] {
  const { clusters, facts, names } = situation;
  const remotes = facts.objects.ercs.filter(
    ({ metadata }) => metadata.namespace === facts.namespace,
  );
  return secretReferences(clusters, remotes, names)
    .filter((reference) => reference.isHere && reference.use === use)
    .flatMap((reference) => judgeSecret(reference, situation));
}

function judgeSecret(
  { name, items, object, field, says }: SecretReference,
  { facts }: CheckContext,
): readonly Found[] {
  const secret = factNamed(facts, "namedSecrets", { name });
  const about = (what: string): Found => ({
    object: `Secret/${facts.namespace}/${name}`,
    cause: `${what}; ${object} names it in ${field} for ${says}`,
  });
  if (secret === undefined) return [about("it does not exist")];
  const held = Object.keys(secret.data ?? {});
  const missing = items.filter((item) => !held.includes(item));
  return missing.length === 0 ? [] : [about(`it has no item ${missing.join(", ")}`)];
}

const rest = makeChecks("rest");

/** The checks of the REST API. */
export const restChecks: readonly Check[] = [
  rest.warning("REST-CREDENTIALS", "S105", {
    title: "The Secret with the REST credentials is there",
    cause: "the Secret with the credentials of the REST API is absent or lacks an item",
    fix: "give another with --api-credentials-secret where a command needs the REST API",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeSecrets(situation, "credentials"),
  }),
  rest.warning("REST-CREDENTIALS-ELSEWHERE", "Facts 7", {
    title: "The REST credentials are in a Secret",
    cause: text`the ${ec} keeps the credentials of the REST API elsewhere, where this tool does not look`,
    fix: "put them in a Secret for now, and name it with --api-credentials-secret",
    needs: ["ecs"],
    judge: perCluster((cluster, { names }) => {
      const path = names.ecFields.credentialSecretType;
      if (keepsSecretsHere(cluster, names)) return undefined;
      const others = secretReferences([cluster], [], names)
        .filter(({ isHere, use }) => !isHere && use !== "credentials")
        .map(({ name, field }) => `${name} (${field})`);
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
