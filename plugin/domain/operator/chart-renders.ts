/**
 * What two renders of a chart give differently: generated certificates, random values, the time. What helm will
 * write there is not what a plan has seen, and a pair that is made again is not the one that is trusted (S20).
 */
import type { Finding } from "../base/findings";
import { tool } from "../base/remedy";
import { boundList } from "../base/values";
import { differences } from "../kube/differences";
import { kinds } from "../kube/kinds";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Names } from "../names/names";
import { chartKey } from "./chart-objects";
import { operatorFinding } from "./findings";

/** By the key of an object, the fields that the second render has otherwise; the empty field is the whole object. */
export type Unstable = ReadonlyMap<string, readonly string[]>;

/** Compares object by object; what the second render lacks has another name there. */
export function listUnstable(
  first: readonly KubeObject[],
  second: readonly KubeObject[],
  namespace: string,
): Unstable {
  const others = new Map(second.map((object) => [chartKey(object, namespace), object]));
  return new Map(
    first.flatMap((object) => {
      const key = chartKey(object, namespace);
      const other = others.get(key);
      const fields = other === undefined ? [""] : listDiffering(object, other);
      return fields.length === 0 ? [] : [[key, fields] as const];
    }),
  );
}

/** In both directions: each tells only what its second object has. */
function listDiffering(one: KubeObject, other: KubeObject): readonly string[] {
  const found = [...differences(one, other), ...differences(other, one)];
  return [...new Set(found.map(({ field }) => field))];
}

/** An object of the chart, and what is to become of it. */
interface Renewing {
  readonly object: KubeObject;
  /** Fields of an object that is there, and that are to change. */
  readonly changed: readonly string[];
  readonly unstable: readonly string[];
}

interface RenewFacts {
  readonly names: Names;
  /** Helm was not asked to look anything up. */
  readonly isBlind: boolean;
}

/** What is said of an object that is made again; undefined where nothing is. */
export function judgeRenewed(
  { object, changed, unstable }: Renewing,
  { names, isBlind }: RenewFacts,
): Finding | undefined {
  const renews = [...new Set([...changed, ...unstable])].filter((field) =>
    isOfTrust(object, field, names),
  );
  const about = { object: objectLabel(object) };
  const unless = isBlind
    ? "unless the chart looks up what is there, which helm does not do with --dry-run=client, "
    : "";
  if (renews.length > 0) {
    return operatorFinding("chartRenews", {
      ...about,
      cause: `${unless}helm replaces the pair or the CA of the admission webhook (${boundList(renews)}): edits of databases fail until its pods have reloaded the pair and the configuration trusts it`,
      remedies: [
        tool(
          "bring pair and CA together at once after it with upgrade-webhook, as upgrade does in its next part; or keep the pair by the chart's values",
          "upgrade-webhook",
        ),
      ],
    });
  }
  if (unstable.length === 0) return undefined;
  const where = unstable.includes("")
    ? "another name for this object"
    : `other values at ${boundList(unstable)}`;
  return operatorFinding("chartRenews", {
    ...about,
    cause: `${unless}each render gives ${where}: what helm writes is not what this plan has seen`,
  });
}

const configurations: readonly string[] = [
  kinds.webhookConfiguration.kind,
  kinds.mutatingConfiguration.kind,
];

/** The webhook's pair, and what makes the API server trust it. */
function isOfTrust({ kind, metadata }: KubeObject, field: string, { webhook }: Names): boolean {
  if (configurations.includes(kind)) return field.endsWith(".caBundle");
  const isPair = kind === kinds.secret.kind && metadata.name === webhook.secret;
  return isPair && field.startsWith(".data");
}
