/**
 * The new configuration on trial. While failurePolicy Ignore is in force, an edit that passes proves nothing: the
 * webhook may not have been reached at all. So the complete new configuration is written with Ignore first, and with
 * Fail only once the new entry was seen refusing a bad edit.
 */
import { findEntry, listEntries, nameField } from "../../domain/admission/configuration";
import {
  type FailurePolicy,
  listPolicies,
  readFailurePolicy,
} from "../../domain/admission/consequence";
import { listDifferences } from "../../domain/admission/wanted";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { isKind } from "../../domain/kube/typed";
import type { Apply } from "../../domain/kube/change";
import type { Names } from "../../domain/names/names";

/** The configurations as found and as wanted. */
interface Found {
  readonly live: ValidatingWebhookConfiguration | undefined;
  readonly wanted: ValidatingWebhookConfiguration;
  readonly oldEntries: readonly ValidatingWebhook[];
}

/** The wanted object with failurePolicy Ignore, and where the live one differs from it. */
export interface Trial {
  readonly object: ValidatingWebhookConfiguration;
  /** Empty where the live object is like it: then there is nothing to write before the proof. */
  readonly differences: readonly string[];
}

/** An apply of a configuration. */
export interface ConfigurationApply extends Apply {
  readonly object: ValidatingWebhookConfiguration;
}

/** The step that writes it. */
export const trialStep = "webhook.apply-ignore";

/** The trial that Fail has to wait for; undefined where Fail is in force already, or is not wanted, or nothing is there. */
export function planTrial(
  { live, wanted, oldEntries }: Found,
  { webhook }: Names,
): Trial | undefined {
  const found = findEntry(live, webhook.entry);
  const inForce = found === undefined ? oldEntries : [found];
  const isOpen = inForce.some((entry) => readFailurePolicy(entry) === "Ignore");
  const policy = readFailurePolicy(findEntry(wanted, webhook.entry));
  if (!isOpen || policy === "Ignore") return undefined;
  const object = withIgnore(wanted, webhook.entry);
  return { object, differences: live === undefined ? [] : listDifferences(live, object) };
}

/** What the entries that are found, new and old, do with edits whose call fails. */
export function policiesFound(
  { live, oldEntries }: Omit<Found, "wanted">,
  { webhook }: Names,
): readonly FailurePolicy[] {
  const own = findEntry(live, webhook.entry);
  return listPolicies(own === undefined ? oldEntries : [own, ...oldEntries]);
}

function withIgnore(
  configuration: ValidatingWebhookConfiguration,
  name: string,
): ValidatingWebhookConfiguration {
  const webhooks = listEntries(configuration).map((entry) =>
    entry.name === name ? { ...entry, failurePolicy: "Ignore" } : entry,
  );
  return { ...configuration, webhooks };
}

/** What the plan says of the trial. */
export const trialReason =
  "written with failurePolicy Ignore first, because no refusal was seen while failurePolicy is Ignore";

/** When the trial has ended. */
export function describeRefusal({ entry }: Names["webhook"]): string {
  return `once ${entry} was seen refusing a bad edit`;
}

/** The writes of an apply that waits for a trial: the trial, where it differs from what is live, and the apply itself. */
export function stageApply(
  apply: ConfigurationApply,
  { live, trial }: Pick<Found, "live"> & { readonly trial?: Trial | undefined },
  { webhook }: Names,
): { readonly first: ConfigurationApply | undefined; readonly last: ConfigurationApply } {
  if (trial === undefined) return { first: undefined, last: apply };
  const { object, differences } = trial;
  const why = describeRefusal(webhook);
  if (live !== undefined && differences.length === 0) {
    return { first: undefined, last: { ...apply, why: `${apply.why}; ${why}` } };
  }
  const isThere = findEntry(live, webhook.entry) !== undefined;
  const path = `${nameField(webhook.entry)}.failurePolicy`;
  const first: ConfigurationApply = {
    ...apply,
    id: trialStep,
    object: withIgnore(apply.object, webhook.entry),
    why: [apply.why, trialReason].join("; "),
    does: live === undefined ? ["create it"] : differences.map((field) => `change ${field}`),
    changes: apply.changes?.flatMap((change) => {
      if (!change.path.endsWith(".failurePolicy")) return [change];
      return isThere ? [] : [{ ...change, to: "Ignore" }];
    }),
    risk: "while it is wrong it lets bad edits through, as it did before",
    holds: (stored) => isKind(stored, object.kind) && listDifferences(stored, object).length === 0,
  };
  const last: ConfigurationApply = {
    ...apply,
    why,
    does: [`change ${path}`],
    changes: [{ path, to: "Fail" }],
  };
  return { first, last };
}
