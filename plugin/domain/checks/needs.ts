/** What the commands need that only look: `check`, `status`, `audit`, `validate`, `cert inspect`, `modules`. */
import { type FactKey, factKeys, factSources } from "../facts/facts";
import { kinds } from "../kube/kinds";
import { renderTerm } from "../names/names";
import { type Permission, permissionOn } from "../kube/permissions";
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

/** The lists that facts are made of; `secrets` are those that clusters name, where they are known. */
export function factNeeds(
  place: NeedsPlace,
  { keys, why, secrets }: FactWish,
): readonly Permission[] {
  return keys.flatMap((key) => {
    const whole = needList(key, place, why);
    if (key !== "namedSecrets" || secrets === undefined) return [whole];
    return secrets.map((name) => ({ ...whole, name }));
  });
}

interface FactWish {
  readonly keys: readonly FactKey[];
  readonly why: string;
  readonly secrets?: readonly string[] | undefined;
}

/** What `check` reads its lists for. */
export const checksWhy = "checks rest on it";

const besideNeeds = (place: NeedsPlace): readonly Permission[] => [
  ...groundNeeds(place),
  ...leftMarkNeeds(),
  ...calledServiceNeeds(),
];

/** `check`: it judges what it may read. */
export function checkNeeds(place: NeedsPlace, secrets: readonly string[] | undefined): Needs {
  const lists = factNeeds(place, { keys: factKeys, why: checksWhy, secrets });
  return { reads: [], may: lists, beside: [...besideNeeds(place), ...otherOperatorNeeds(place)] };
}

/** `status`: it shows what it may read; its probe sends an edit of each kind as a dry run. */
export function statusNeeds(place: NeedsPlace, { probe }: { readonly probe: boolean }): Needs {
  const { names, namespace } = place;
  const { edbs, eaadbs, ercs } = factSources(names);
  const probed = [edbs, eaadbs, ercs].map(({ resource }) =>
    permissionOn("create", resource, { why: "to probe the webhook with dry runs", namespace }),
  );
  const lists = factNeeds(place, { keys: factKeys, why: "the status is read from it" });
  return {
    reads: [],
    may: probe ? [...lists, ...probed] : lists,
    beside: besideNeeds(place),
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
