/** A refusal as the API server and kubectl show it whole: 422 Invalid with causes (C13; admission facts 4–6). */
import type { Cause, Verdict } from "./types";
import { plain, quoteName } from "./wording";

/** What is refused, as the request names it, and who refuses. */
export interface Refused {
  readonly kind: string;
  readonly group: string;
  /** Absent with generateName. */
  readonly name?: string | undefined;
  readonly verdict: Verdict;
  readonly webhookName: string;
}

/** The part of a Kubernetes Status that a refusal fills. */
export interface DenialStatus {
  readonly code: 422;
  readonly reason: "Invalid";
  readonly message: string;
  readonly details: {
    readonly group: string;
    readonly kind: string;
    readonly name?: string;
    readonly causes: readonly Omit<Cause, "rule">[];
  };
}

/** More lines than this help nobody; the last one says how many are left out. */
const causeCount = 32;

/** The whole story both in the message and in the causes (C13; admission facts 6.1). */
export function denialStatus(refused: Refused): DenialStatus {
  const { verdict, webhookName } = refused;
  const [first, ...others] = bound(verdict);
  if (first === undefined) throw new Error("a denial needs at least one cause");
  const signed = { ...first, message: sign(first, webhookName) };
  const causes = [signed, ...others].map(({ reason, field, message }) => ({
    reason,
    field,
    message,
  }));
  const { name = "" } = refused;
  const [kind, group] = [plain(refused.kind), plain(refused.group)];
  return {
    code: 422,
    reason: "Invalid",
    message: `${kind}.${group} ${quoteName(name)} is invalid: ${summary(causes)}`,
    details: { group, kind, ...(name === "" ? {} : { name: plain(name) }), causes },
  };
}

/** kubectl drops the webhook's name for Invalid: one cause has to carry it (admission facts 6.4). */
function sign({ message, rule }: Cause, webhookName: string): string {
  const end = ` [${rule}]`;
  return `${message.slice(0, -end.length)} (refused by webhook ${plain(webhookName)})${end}`;
}

function bound({ causes, more = 0 }: Verdict): readonly Cause[] {
  const shown = causes.slice(0, causeCount - 1);
  const [next, ...rest] = causes.slice(causeCount - 1);
  if (next === undefined) return shown;
  const hidden = rest.length + more;
  if (hidden === 0) return causes;
  const message = `${hidden + 1} more problems from here on are not shown [${next.rule}]`;
  return [...shown, { ...next, message }];
}

function summary(causes: readonly Omit<Cause, "rule">[]): string {
  const errors = causes.map(({ field, message }) => `${field}: ${message}`);
  return errors.length === 1 ? errors.join("") : `[${errors.join(", ")}]`;
}
