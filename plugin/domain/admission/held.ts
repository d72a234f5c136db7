/**
 * What waits for the webhook, or is refused with it, though the release asks for none of that: operations beyond its
 * template, and a time limit that leaves no room for an answer (admission facts 2, 3).
 */
import type { Finding } from "../base/findings";
import { kubectl, look, tool } from "../base/remedy";
import type { Facts } from "../facts/facts";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../kube/models";
import { objectLabel, readName } from "../kube/objects";
import {
  type EntryInForce,
  findEntry,
  listEntries,
  listLost,
  renderReached,
} from "./configuration";
import { describeConsequence, listPolicies, readFailurePolicy } from "./consequence";
import { webhookFinding } from "./findings";
import { fixByOwner } from "./owned";

/** What is refused while a webhook does not answer that is asked about such operations. */
const refused: Readonly<Partial<Record<string, string>>> = {
  DELETE: "no such object can be deleted, nor a namespace that holds one",
  CONNECT: "no connection to one can be opened (exec, port-forward, proxy)",
};

/** Operations under Fail that the template does not guard. */
export function judgeHeld(
  { configuration, entry, field }: EntryInForce,
  template: ValidatingWebhookConfiguration | undefined,
  { names, left }: Pick<Facts, "left" | "names">,
): readonly Finding[] {
  const isOwn = entry.name === names.webhook.entry;
  const meant = findEntry(template, names.webhook.entry);
  // no API server connects to what a definition serves
  const lost = listLost(entry, meant).filter(
    ({ operation, group }) =>
      operation in refused && !(operation === "CONNECT" && group === names.group),
  );
  if (lost.length === 0 || readFailurePolicy(entry) === "Ignore") return [];
  const operations = [...new Set(lost.map(({ operation }) => operation))];
  const consequences = operations.map((one) => String(refused[one])).join(", and ");
  const what = renderReached(lost).join(", ");
  const shown = ["get", "validatingwebhookconfiguration", readName(configuration), "-o", "yaml"];
  const remedy = isOwn
    ? tool(
        "write the rules of the template with --take-template-rules",
        ...["upgrade-webhook", "--take-template-rules"],
      )
    : look("take these operations out of the entry with kubectl edit", ...shown);
  return [
    webhookFinding("holdsMore", {
      object: objectLabel(configuration),
      field: `${field}.rules`,
      cause: `with failurePolicy Fail it is also called for ${what}: while the webhook does not answer, ${consequences}`,
      remedies: [remedy],
      ...fixByOwner(configuration, { left }),
    }),
  ];
}

/**
 * A webhook that cannot judge yet answers 503 with Retry-After: 1, and the API server calls again a second later. It
 * tells the webhook the time left in whole seconds, rounded up: below three there is no second call.
 */
const shortest = 3;

/** The API server's own limit, in seconds. */
const usual = 10;

/** What a time limit means that leaves no room for a second call; undefined for a longer one. */
export function describeShort(entry: ValidatingWebhook | undefined): string | undefined {
  const seconds = entry?.timeoutSeconds ?? usual;
  if (seconds >= shortest) return undefined;
  const consequence = describeConsequence(listPolicies([entry]), "some");
  return `answers that take longer than ${seconds} s are failed calls: ${consequence}`;
}

/** An entry whose time limit is that short. */
export function judgeShort(
  { configuration, entry, field }: EntryInForce,
  facts: Pick<Facts, "left">,
): readonly Finding[] {
  const cause = describeShort(entry);
  if (cause === undefined) return [];
  const at = `/webhooks/${listEntries(configuration).indexOf(entry)}`;
  const patch = [
    { op: "test", path: `${at}/name`, value: entry.name },
    { op: "replace", path: `${at}/timeoutSeconds`, value: usual },
  ];
  const words = ["patch", "validatingwebhookconfiguration", readName(configuration)];
  return [
    webhookFinding("timeoutShort", {
      object: objectLabel(configuration),
      field: `${field}.timeoutSeconds`,
      cause,
      remedies: [
        kubectl(
          `set it to ${usual}, as the API server does by default`,
          ...[...words, "--type=json", `--patch=${JSON.stringify(patch)}`],
        ),
      ],
      ...fixByOwner(configuration, facts),
    }),
  ];
}
