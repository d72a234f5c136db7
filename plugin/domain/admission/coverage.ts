/**
 * Which edits of the product's objects reach the webhook: kinds, versions that are served, operations and scope, as an
 * API server matches them under the matchPolicy of an entry (domain facts 4.1; admission facts 2). What reaches no entry,
 * nothing validates.
 */
import { type Facts, isKnown } from "../facts/facts";
import type { ValidatingWebhook, WebhookRule } from "../kube/models";
import { matchesResource, withMatchingRules } from "./configuration";

/** One kind of edit of an object, in one version of its kind. */
export interface Edit {
  readonly plural: string;
  readonly version: string;
  readonly operation: string;
}

const operations = ["CREATE", "UPDATE"] as const;

/** The versions in which a kind is served; that of the names where its definition was not seen. */
export function listServedVersions(plural: string, facts: Facts): readonly string[] {
  const { names, objects } = facts;
  const definitions = isKnown(facts, "definitions") ? objects.definitions : [];
  const name = `${plural}.${names.group}`;
  const definition = definitions.find(({ metadata }) => metadata.name === name);
  const versions = (definition?.spec?.versions ?? [])
    .filter(({ served }) => served === true)
    .map((version) => String(version.name));
  return versions.length > 0 ? versions : [names.version];
}

/** The edits that the template of a release guards; of databases where there is no template. */
function listWanted(template: ValidatingWebhook | undefined, facts: Facts): readonly Edit[] {
  const { group, edb, eaadb, erc } = facts.names;
  const isWanted = (plural: string, operation: string): boolean =>
    template === undefined
      ? plural !== erc.plural
      : matchesResource(template, { group, plural, operation });
  return [edb, eaadb, erc].flatMap(({ plural }) =>
    listServedVersions(plural, facts).flatMap((version) =>
      operations
        .filter((operation) => isWanted(plural, operation))
        .map((operation) => ({ plural, version, operation })),
    ),
  );
}

/** True where the API server calls the entry for the edit, its selectors and conditions aside. */
export function isCalledFor(entry: ValidatingWebhook, edit: Edit, facts: Facts): boolean {
  const { plural, version, operation } = edit;
  const { group } = facts.names;
  // under Equivalent an edit in one version meets the rules for any other one in which the kind is served
  const versions = entry.matchPolicy === "Exact" ? [version] : listServedVersions(plural, facts);
  const isOfRule = ({ apiVersions }: WebhookRule): boolean =>
    ["*", ...versions].some((one) => apiVersions?.includes(one));
  const rules = withMatchingRules(entry).rules?.filter(isOfRule);
  return matchesResource({ ...entry, rules }, { group, plural, operation });
}

/** What no entry is called for, of what is to be guarded; `all` where that is everything. */
export interface Unguarded {
  readonly edits: readonly Edit[];
  readonly all: boolean;
}

/** What passes these entries, though the template of the release guards it. */
export function findUnguarded(
  entries: readonly ValidatingWebhook[],
  template: ValidatingWebhook | undefined,
  facts: Facts,
): Unguarded {
  const wanted = listWanted(template, facts);
  const edits = wanted.filter((edit) => !entries.some((one) => isCalledFor(one, edit, facts)));
  return { edits, all: edits.length > 0 && edits.length === wanted.length };
}

/** The edits in words: the versions are named where the others of the kind are guarded. */
export function describeEdits(edits: readonly Edit[], facts: Facts): string {
  const words = edits.map(({ plural, version, operation }) => {
    const versions = listServedVersions(plural, facts);
    const alike = edits.filter((one) => one.plural === plural && one.operation === operation);
    const isWhole = alike.length === versions.length;
    return `${operation} ${plural}${isWhole ? "" : ` in ${version}`}`;
  });
  return [...new Set(words)].join(", ");
}
