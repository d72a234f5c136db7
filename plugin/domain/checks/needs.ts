/** What the commands need that only look: `check`, `status`, `audit`, `validate`, `cert inspect`, `modules`. */
import { type FactKey, factKeys, factSources } from "../facts/facts";
import { kinds } from "../kube/kinds";
import { probedAnywhere, probeNeed } from "../admission/needs";
import { renderTerm } from "../names/names";
import { type Permission, permissionOn } from "../kube/permissions";
import type { NamedList, NamedSecret } from "../references/secrets";
import {
  type ApiWish,
  apiNeeds,
  calledServiceNeeds,
  groundNeeds,
  leftMarkNeeds,
  needList,
  otherOperatorNeeds,
  type Needs,
  type NeedsPlace,
} from "../facts/needs";

/** The lists that facts are made of; `secrets` are those that objects name, where they are known. */
export function factNeeds(
  place: NeedsPlace,
  { keys, why, secrets = {} }: FactWish,
): readonly Permission[] {
  return keys.flatMap((key) => {
    const whole = needList(key, place, why);
    if (key === "namedSecrets") {
      return secrets.namedSecrets?.map((named) => ({ ...whole, ...named })) ?? [whole];
    }
    if (key !== "referredSecrets") return [whole];
    // no Role is asked for every Secret of every namespace before it is known which are named
    return secrets.referredSecrets?.map((named) => ({ ...whole, ...named })) ?? [];
  });
}

interface FactWish {
  readonly keys: readonly FactKey[];
  readonly why: string;
  readonly secrets?: SecretsNamed;
}

/** The Secrets of each list that are named; undefined where that is not known. */
export type SecretsNamed = Readonly<Partial<Record<NamedList, readonly NamedSecret[] | undefined>>>;

/** What `check` reads its lists for. */
export const checksWhy = "checks rest on it";

const besideNeeds = (place: NeedsPlace): readonly Permission[] => [
  ...groundNeeds(place),
  ...leftMarkNeeds(),
  ...calledServiceNeeds(),
];

/** `check`: it judges what it may read. */
export function checkNeeds(
  place: NeedsPlace,
  wish: ProbeOption & Pick<FactWish, "secrets">,
): Needs {
  const lists = factNeeds(place, { keys: factKeys, why: checksWhy, secrets: wish.secrets });
  const beside = [...besideNeeds(place), ...otherOperatorNeeds(place), ...probeNeeds(place, wish)];
  return { reads: [], may: lists, beside };
}

/** Whether dry runs are wanted. */
interface ProbeOption {
  readonly probe: boolean;
}

function probeNeeds({ names }: NeedsPlace, { probe }: ProbeOption): readonly Permission[] {
  return probe ? probedAnywhere(names).map(probeNeed) : [];
}

const secretLists: readonly FactKey[] = ["webhookSecrets", "namedSecrets", "referredSecrets"];

/** What a Role for `status` is asked for: it reads Secrets where it may, and says what it could not read. */
export const statusKeys = factKeys.filter((key) => !secretLists.includes(key));

/** `status`: it shows what it may read; its probe sends an edit of each kind as a dry run. */
export function statusNeeds(place: NeedsPlace, wish: ProbeOption): Needs {
  const lists = factNeeds(place, { keys: statusKeys, why: "the status is read from it" });
  return {
    reads: [],
    may: lists,
    beside: [...besideNeeds(place), ...probeNeeds(place, wish)],
  };
}

/** `audit` and `validate`: databases and clusters of all namespaces. */
export function rulesNeeds(place: NeedsPlace): Needs {
  const why = "to check databases against the admission rules";
  return { reads: factNeeds(place, { keys: ["ecs", "edbs", "eaadbs"], why }), may: [], beside: [] };
}

/** `cert inspect`. */
export function inspectNeeds(place: NeedsPlace): Needs {
  const { names, namespace } = place;
  const secret = { why: "to read the certificate", namespace, name: names.webhook.secret };
  return {
    reads: [permissionOn("get", kinds.secret, secret)],
    may: [],
    beside: [
      permissionOn("get", kinds.webhookConfiguration, {
        why: "to see whether an injector writes the CA",
        name: names.webhook.configuration,
      }),
      ...groundNeeds(place),
    ],
  };
}

/** The modules of a cluster, by its REST API. */
export function modulesNeeds(place: NeedsPlace, api: ApiWish): Needs {
  const { names, namespace } = place;
  const find = { why: `find the ${renderTerm(names.ec)}`, namespace };
  return {
    reads: [permissionOn("list", factSources(names).ecs.resource, find)],
    may: apiNeeds(place, api),
    beside: groundNeeds(place),
  };
}
