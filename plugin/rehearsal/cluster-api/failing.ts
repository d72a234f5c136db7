/** Sends an answer or a refusal, and does what a failure on demand does to it. */
import type { Response } from "express";
import type { ApiFault } from "./faults";
import { ApiRefusal, type PlainCode } from "./refusal";
import { refusalBody, type Site } from "./routing";

/** What is sent. */
export interface Sent {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

interface Failing {
  readonly response: Response;
  readonly path: string;
  readonly site: Site;
}

/** Does the part of a failure that comes before the call is looked at; false when that was all. */
export async function passes(fault: ApiFault, failing: Failing): Promise<boolean> {
  const { site } = failing;
  if ("when" in fault && fault.when === "after") return true;
  if (fault.does === "slow") {
    await site.clock.sleep(fault.ms);
    return true;
  }
  if (fault.does === "forget") {
    site.works.advance();
    site.store.forgetEnded();
    return true;
  }
  inTheAnswersPlace(fault, failing);
  return false;
}

type Instead = Exclude<ApiFault, { readonly does: "slow" | "forget" }>;

function inTheAnswersPlace(fault: Instead, { response, path }: Failing): void {
  switch (fault.does) {
    case "answer":
      throw failureOf(fault.status);
    case "cut":
      response.socket?.destroy();
      return;
    case "redirect":
      response.redirect(fault.status ?? 307, `${fault.to}${path}`);
      return;
    case "garbage":
      response.status(200).type("application/json").send(fault.body);
      return;
    case "hang":
      fault.met?.();
  }
}

function failureOf(status: number): ApiRefusal {
  const code: PlainCode = status === 503 ? "unavailable" : "internal_error";
  return new ApiRefusal(status, code, status === 503 ? "not available now" : "internal error");
}

/** Sends what a call came to, unless its answer is to be lost. */
export function answer(response: Response, sent: Sent): void {
  const fault = response.locals["fault"] as ApiFault | undefined;
  if (fault?.does === "cut") {
    response.socket?.destroy();
    return;
  }
  if (fault?.does === "hang") {
    fault.met?.();
    return;
  }
  // the call did its work by now, and nobody is told
  if (fault?.does === "answer") throw failureOf(fault.status);
  send(response, sent);
}

/** Sends a refusal with its body, if the release sends one. */
export function refuse(response: Response, refusal: ApiRefusal, site: Site): void {
  const { status, headers } = refusal;
  send(response, { status, headers, body: refusalBody(refusal, site) });
}

function send(response: Response, { status, body, headers }: Sent): void {
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  }
  response.status(status);
  if (body === undefined) response.end();
  else response.json(body);
}
