/** What a rehearsal cannot know or copy (limits.json); printed with its report, and checked by the contract. */
import told from "./limits.json";
import type { KubeObject } from "../domain/kube/objects";
import type { WebhookConfiguration } from "../domain/kube/models";
import { ofKind } from "../domain/kube/typed";

/** One limit; `id` is named by the contract's cases that it excuses. */
interface Limit {
  readonly id: string;
  /** One line for people. */
  readonly cannot: string;
}

/** Every difference from a real cluster that is known. */
export const limits: readonly Limit[] = Object.entries(told).map(([id, cannot]) => ({
  id,
  cannot,
}));

/** What was found that a limit speaks of. */
interface Found {
  readonly objects: readonly KubeObject[];
  /** Entries that were not called as on a real cluster. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** Names of what a limit concerns; a limit without an entry here concerns every rehearsal. */
const concerned: Readonly<Record<string, (found: Found) => readonly string[]>> = {
  "other-webhooks": ({ objects, skipped }) =>
    entriesIn(objects, "ValidatingWebhookConfiguration").filter((entry) => skipped.has(entry)),
  "mutating-webhooks": ({ objects }) => entriesIn(objects, "MutatingWebhookConfiguration"),
  "openshift-admission": ({ objects }) => namesIn(objects, "SecurityContextConstraints"),
};

/** Those with a name of something found first, then those of every rehearsal. */
export function listUnknown(
  objects: readonly KubeObject[],
  skipped: ReadonlyMap<string, string>,
): readonly string[] {
  const named = limits.flatMap(({ id, cannot }) => {
    const names = [...new Set(concerned[id]?.({ objects, skipped }) ?? [])];
    return names.length === 0 ? [] : [`${cannot} (here: ${names.join(", ")})`];
  });
  const general = limits.filter(({ id }) => concerned[id] === undefined);
  return [...named, ...general.map(({ cannot }) => cannot)];
}

function namesIn(objects: readonly KubeObject[], kind: string): readonly string[] {
  return objects
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => metadata.name ?? "");
}

function entriesIn(
  objects: readonly KubeObject[],
  kind: WebhookConfiguration["kind"],
): readonly string[] {
  return ofKind(objects, kind)
    .flatMap(({ webhooks }) => webhooks ?? [])
    .map(({ name }) => name ?? "");
}
