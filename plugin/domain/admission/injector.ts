/**
 * Controllers that write the CA into webhook configurations by themselves, as an annotation asks them
 * to: what anybody else writes into caBundle is overwritten at once.
 */
import { describeConsequence, listPolicies } from "./consequence";
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { kubectl } from "../base/remedy";
import type { WebhookConfiguration } from "../kube/models";
import { readName, objectLabel } from "../kube/objects";
import { webhookFinding } from "./findings";
import {
  listCandidates,
  readCaBundle,
  listEntries,
  type EntryInForce,
  compareTrust,
} from "./configuration";
import type { Names } from "../names/names";

/** The injector that an annotation asks for. */
export interface Injector {
  readonly name: string;
  readonly annotation: string;
  readonly value: string;
}

interface InjectorMark {
  readonly name: string;
  readonly annotation: string;
  /** Whether the injector acts on the value. */
  readonly acts: (value: string) => boolean;
}

const isTrue = (value: string): boolean => value === "true";
const isGiven = (value: string): boolean => value !== "";

const marks: readonly InjectorMark[] = [
  { name: "cert-manager", annotation: "cert-manager.io/inject-ca-from", acts: isGiven },
  { name: "cert-manager", annotation: "cert-manager.io/inject-ca-from-secret", acts: isGiven },
  { name: "cert-manager", annotation: "cert-manager.io/inject-apiserver-ca", acts: isTrue },
  {
    name: "the service CA operator of OpenShift",
    annotation: "service.beta.openshift.io/inject-cabundle",
    acts: isTrue,
  },
];

/** The first injector that the annotations ask for; undefined where there is none. */
export function findInjector(
  configuration: WebhookConfiguration | undefined,
): Injector | undefined {
  for (const { name, annotation, acts } of marks) {
    const value = configuration?.metadata.annotations?.[annotation];
    if (value !== undefined && acts(value)) return { name, annotation, value };
  }
  return undefined;
}

/** A configuration whose CA an injector writes: as it should be, as long as it is the right one. */
export interface Injection {
  /** The configuration's name. */
  readonly configuration: string;
  /** The injector. */
  readonly by: string;
  readonly annotation: string;
  readonly value: string;
}

/** The configurations of the product's whose CA an injector writes. */
export function injectionsIn(
  configurations: readonly WebhookConfiguration[],
  names: Names,
): readonly Injection[] {
  return listCandidates(configurations, names).flatMap((one) => {
    const injector = findInjector(one);
    if (injector === undefined) return [];
    const { name: by, annotation, value } = injector;
    return [{ configuration: readName(one), by, annotation, value }];
  });
}

/** Who writes the CA, for a person. */
export function renderInjection({
  by,
  annotation,
  value,
}: Omit<Injection, "configuration">): string {
  return `${by} writes its caBundle (${annotation}: ${value})`;
}

/**
 * An error for each entry of one configuration whose callers do not trust, by what an injector
 * writes, the certificate that is served; nothing where they do, or without an injector.
 */
export function judgeInjection(
  configuration: WebhookConfiguration | undefined,
  entries: readonly EntryInForce[],
  served: Facts["certificate"],
): readonly Finding[] {
  const injector = findInjector(configuration);
  if (configuration === undefined || injector === undefined) return [];
  const { name: by, annotation, value } = injector;
  const object = objectLabel(configuration);
  const writes = renderInjection({ by, annotation, value });
  const unfit = entries.filter(({ entry }) => compareTrust(entry, served) !== "fit");
  const kind = configuration.kind.toLowerCase();
  const remedies = [
    { says: "let the webhook serve a certificate of that CA (put it into the Secret)" },
    kubectl("take the annotation off", "annotate", kind, readName(configuration), `${annotation}-`),
  ];
  return unfit.map(({ entry, field }) =>
    webhookFinding("injectedOther", {
      object,
      field: `${field}.clientConfig.caBundle`,
      cause:
        readCaBundle(entry) === ""
          ? `${writes}, and has not done so: ${describeConsequence(listPolicies([entry]))}`
          : `${writes}, and it is not the CA of the certificate that is served: ${describeConsequence(listPolicies([entry]))}`,
      remedies,
    }),
  );
}

/** The caBundles of entries that are in the cluster. */
export interface LiveBundles {
  readonly bundles: readonly string[];
  /** An injector writes them: the Secret may be that of a controller, with items of other names. */
  readonly injected: boolean;
  /** When they are judged, milliseconds since 1970: an issuer that has expired vouches for nothing. */
  readonly now: number;
}

/** What callers of the webhook trust now, and whether an injector writes it into the configuration of today. */
export function liveBundles(
  configurations: readonly WebhookConfiguration[],
  { names, now }: { readonly names: Names; readonly now: number },
): LiveBundles {
  const { configuration } = names.webhook;
  const current = configurations.find(({ metadata }) => metadata.name === configuration);
  const bundles = listCandidates(configurations, names).flatMap(listEntries).map(readCaBundle);
  return {
    bundles: [...new Set(bundles)].filter((bundle) => bundle !== ""),
    injected: findInjector(current) !== undefined,
    now,
  };
}
