/** Admission: shows writes to the webhooks that are configured, over real HTTPS. */
import { randomUUID } from "node:crypto";
import type { ApiError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import type { Clock } from "../../ports/kubernetes";
import type { Admission, Attempt, StateView } from "../model";
import { callWebhook, Connections } from "./connections";
import {
  listEntries,
  type WebhookEntry,
  type Invocation,
  findInvocation,
  isExempt,
  type ServiceRoute,
  resolveTarget,
} from "./entries";
import { CallFailure, refuseFailedCall } from "./trust";
import {
  dryRunUnsupported,
  reviewFor,
  chooseReviewVersion,
  type AdmissionVerdict,
  readVerdict,
} from "./response";

export type { ServicePort, ServiceRoute } from "./entries";

interface AdmissionOptions {
  /** By which certificates are judged; waits for an answer are real. */
  readonly clock: Clock;
  readonly route: ServiceRoute;
  /** Connections are kept between calls, as the API server does; the default. */
  readonly keepAlive?: boolean;
  /** Told of every entry that is not treated as on a real cluster, and why. */
  readonly onSkipped?: (entry: string, why: string) => void;
}

/** An admission with connections to close. */
export interface ClosableAdmission extends Admission {
  close(): void;
}

const warnings = new WeakMap<Error, readonly string[]>();

/** The warnings that came with a refusal by admission. */
export function listWarnings(refusal: unknown): readonly string[] {
  return refusal instanceof Error ? (warnings.get(refusal) ?? []) : [];
}

const passed: AdmissionVerdict = { warnings: [], refusal: undefined };

/** The admission of an embedded cluster. */
export function createAdmission(options: AdmissionOptions): ClosableAdmission {
  const { clock, keepAlive = true, onSkipped = () => undefined } = options;
  const connections = new Connections({ keepAlive, now: () => clock.now() });
  const parts: Parts = { route: options.route, connections, onSkipped, turn: turns() };
  return {
    admit: (attempt, state) => admit(attempt, state, parts),
    close: () => {
      connections.close();
    },
  };
}

/**
 * Whose turn it is among so many, for edits of one kind and namespace: edits of two kinds that
 * alternate would always meet the same one. Only where there is a choice does the turn pass on.
 */
function turns(): (of: number, edits: string) => number {
  const taken = new Map<string, number>();
  return (of, edits) => {
    const before = taken.get(edits) ?? 0;
    if (of > 1) taken.set(edits, before + 1);
    return before % Math.max(of, 1);
  };
}

interface Parts {
  readonly turn: (of: number, edits: string) => number;
  readonly route: ServiceRoute;
  readonly connections: Connections;
  readonly onSkipped: (entry: string, why: string) => void;
}

/**
 * All webhooks are asked at once. Of several refusals the first to arrive counts on a real server,
 * which may be any: here they take turns, so that each is seen and a run can be repeated.
 */
async function admit(attempt: Attempt, state: StateView, parts: Parts): Promise<readonly string[]> {
  if (isExempt(attempt.definition)) return [];
  reportMutating(attempt, state, parts);
  const invocations = listEntries(kinds.webhookConfiguration, state).flatMap(
    (entry) => findInvocation(entry, attempt, state) ?? [],
  );
  const verdicts = await Promise.all(
    invocations.map((invocation) => judge(invocation, attempt, { ...parts, state })),
  );
  attempt.signal?.throwIfAborted();
  const told = verdicts.flatMap((verdict) => verdict.warnings);
  const refusals = verdicts.flatMap((verdict) => verdict.refusal ?? []);
  const edits = `${attempt.definition.resource.plural} ${attempt.namespace ?? ""}`;
  const refusal = refusals[parts.turn(refusals.length, edits)];
  if (refusal === undefined) return told;
  warnings.set(refusal, told);
  throw refusal;
}

function reportMutating(attempt: Attempt, state: StateView, { onSkipped }: Parts): void {
  for (const entry of listEntries(kinds.mutatingConfiguration, state)) {
    if (findInvocation(entry, attempt, state) !== undefined) {
      onSkipped(entry.name, "mutating webhooks are not called");
    }
  }
}

type AdmissionEnvironment = Parts & { readonly state: StateView };

async function judge(
  invocation: Invocation,
  attempt: Attempt,
  surroundings: AdmissionEnvironment,
): Promise<AdmissionVerdict> {
  const { entry } = invocation;
  if (attempt.dryRun && !entry.dryRunSafe) return refuse(dryRunUnsupported(entry.name));
  try {
    return await ask(invocation, attempt, surroundings);
  } catch (failure) {
    if (!(failure instanceof CallFailure)) throw failure;
    return entry.failOpen ? passed : refuse(refuseFailedCall(entry.name, failure));
  }
}

function refuse(refusal: ApiError): AdmissionVerdict {
  return { warnings: [], refusal };
}

async function ask(
  invocation: Invocation,
  attempt: Attempt,
  { route, state, connections, onSkipped }: AdmissionEnvironment,
): Promise<AdmissionVerdict> {
  const { entry } = invocation;
  const mark = { uid: randomUUID(), version: versionFor(entry) };
  const target = await resolveTarget(entry, route, state);
  if ("skipped" in target) {
    onSkipped(entry.name, target.skipped);
    return passed;
  }
  if (entry.conditional) {
    onSkipped(entry.name, "its matchConditions are not evaluated: it is called as if they matched");
  }
  const body = JSON.stringify(reviewFor(attempt, invocation, mark));
  const { timeoutSeconds } = entry;
  const { signal } = attempt;
  const reply = await callWebhook({ target, body, timeoutSeconds, signal }, connections);
  return readVerdict(entry.name, reply, mark);
}

function versionFor({ reviewVersions }: WebhookEntry): "v1" | "v1beta1" {
  const version = chooseReviewVersion(reviewVersions);
  if (version !== undefined) return version;
  const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
  throw new CallFailure(`could not create admission objects: ${why}`);
}
