/** Which namespaces the operator looks after, by the variable of its container (domain facts 8). */
import { kubectl } from "../base/remedy";
import { asString } from "../base/values";
import type { OperatorWords } from "./lease";
import { factNamed, type Facts } from "../facts/facts";
import type { Deployment } from "../kube/models";
import { objectLabel, readName, readNamespace } from "../kube/objects";
import { findContainer } from "../rollout/stateful-set";

/** As operators of this kind name it. */
const variable = "WATCH_NAMESPACE";

/** What the variable says, and whether it stands in the Deployment itself. */
interface Watched {
  readonly namespaces: readonly string[];
  readonly isPlain: boolean;
}

/** Undefined where it looks after all of them, or where the Deployment does not tell. */
function readWatched(deployment: Deployment, { names }: Pick<Facts, "names">): Watched | undefined {
  const podSpec = deployment.spec?.template?.spec;
  const container = findContainer(podSpec, names.operator.container);
  const entry = container?.env?.find(({ name }) => name === variable);
  const plain = asString(entry?.value);
  const value = plain ?? readField(deployment, entry?.valueFrom?.fieldRef?.fieldPath);
  const namespaces = (value ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return namespaces.length === 0 ? undefined : { namespaces, isPlain: plain !== undefined };
}

/** A field of the pod that comes from the Deployment: its namespace, or an annotation as OLM sets it. */
function readField(deployment: Deployment, path: string | null | undefined): string | undefined {
  if (path === "metadata.namespace") return readNamespace(deployment);
  const annotation = /^metadata\.annotations\['([^']+)'\]$/.exec(String(path))?.[1];
  if (annotation === undefined) return undefined;
  return asString(deployment.spec?.template?.metadata?.annotations?.[annotation]);
}

/** That the operator of this namespace looks after others alone, and what lets it look here. */
export function explainWatched(facts: Facts): OperatorWords | undefined {
  const { names, namespace } = facts;
  const { deployment: name } = names.operator;
  const deployment = factNamed(facts, "deployments", { name, namespace });
  const found = deployment && readWatched(deployment, facts);
  if (deployment === undefined || found === undefined || found.namespaces.includes(namespace)) {
    return undefined;
  }
  const { namespaces, isPlain } = found;
  const then = { says: `add ${namespace} to them` };
  const at = ["-n", namespace];
  const look = isPlain
    ? kubectl(
        `see which namespaces it watches (${variable})`,
        ...["describe", "deployment", readName(deployment), ...at],
      )
    : kubectl(
        `see which namespaces it watches (${variable}, from its OperatorGroup's spec.targetNamespaces)`,
        ...["get", "operatorgroups", ...at, "-o", "yaml"],
      );
  return {
    words: [
      `the operator does not look here: ${objectLabel(deployment)} watches ${namespaces.join(", ")}, not ${namespace}`,
    ],
    remedies: [{ ...look, then }],
  };
}
