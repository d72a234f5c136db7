/** Failures on demand: what the service does in the place of, or after, what a call asks for. */
import type { Response } from "express";
import type { ApiContext } from "./endpoints";
import { ApiRefusal } from "./state";

/** One failure. `after`: what the call asks for has been done, and its answer is lost. */
export type ApiFault =
  | { readonly does: "answer"; readonly status: number; readonly when?: "before" | "after" }
  | { readonly does: "cut"; readonly when: "before" | "after" }
  /** Answers late, by the service's own clock. */
  | { readonly does: "slow"; readonly ms: number }
  /** Never answers; `met` is called in the answer's place. */
  | {
      readonly does: "hang";
      readonly when?: "before" | "after";
      readonly met?: () => void;
    }
  /** As nodes do that do not lead: the same path elsewhere. */
  | { readonly does: "redirect"; readonly to: string; readonly status?: number }
  /** A success whose body is no JSON. */
  | { readonly does: "garbage"; readonly body: string }
  /** Ended actions are forgotten first. */
  | { readonly does: "forget" };

/** Where and how often it happens. */
export interface PlannedFault {
  readonly fault: ApiFault;
  /** Absent: any. */
  readonly method?: string;
  /** The path as called, or a pattern of it; absent: any. */
  readonly path?: string | RegExp;
  /** Calls that fit and are let through first. */
  readonly skip?: number;
  /** Absent: once. */
  readonly times?: number;
}

/** The failures that are still to come. */
export class ApiFaults {
  readonly #planned: { readonly plan: PlannedFault; skip: number; times: number }[] = [];

  /** Plans one. */
  add(plan: PlannedFault): void {
    this.#planned.push({ plan, skip: plan.skip ?? 0, times: plan.times ?? 1 });
  }

  /** None is to come any more. */
  clear(): void {
    this.#planned.length = 0;
  }

  /** The failure of this call, if there is one. */
  take(method: string, path: string): ApiFault | undefined {
    for (const one of this.#planned) {
      if (one.times <= 0 || !isMeant(one.plan, method, path)) continue;
      if (one.skip > 0) {
        one.skip -= 1;
        continue;
      }
      one.times -= 1;
      return one.plan.fault;
    }
    return undefined;
  }
}

function isMeant({ method, path }: PlannedFault, called: string, at: string): boolean {
  if (method !== undefined && method !== called) return false;
  return path === undefined || (typeof path === "string" ? path === at : path.test(at));
}

function isAfter(fault: ApiFault): boolean {
  return "when" in fault && fault.when === "after";
}

/** Does the part of a failure that comes before the call is looked at, which may be all of it. */
export async function instead(
  fault: ApiFault,
  response: Response,
  { clock, works, store }: ApiContext,
): Promise<"continue" | "over"> {
  if (isAfter(fault)) return "continue";
  switch (fault.does) {
    case "slow":
      await clock.sleep(fault.ms);
      return "continue";
    case "forget":
      works.advance();
      store.forgetEnded();
      return "continue";
    case "redirect":
      response.redirect(fault.status ?? 307, `${fault.to}${response.req.path}`);
      return "over";
    case "garbage":
      response.status(200).type("application/json").send(fault.body);
      return "over";
    case "answer":
    case "cut":
    case "hang":
      loses(fault, response);
      return "over";
  }
}

/** True where the answer to a call is not sent, and what happens in its place has happened. */
export function loses(fault: ApiFault | undefined, response: Response): boolean {
  if (fault === undefined) return false;
  if (fault.does === "answer") throw makeFailure(fault.status);
  if (fault.does === "cut") response.socket?.destroy();
  if (fault.does === "hang") fault.met?.();
  return ["cut", "hang"].includes(fault.does);
}

/** An answer of a server that fails. */
export function makeFailure(status: number): ApiRefusal {
  return status === 503
    ? new ApiRefusal(status, "unavailable", "not available now")
    : new ApiRefusal(status, "internal_error", "internal error");
}
