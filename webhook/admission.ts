/** The admission path over HTTP: what surrounds a review on the wire, and one log line for each. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { plain } from "../plugin/domain/rules/wording";
import type { BodyBudget } from "./big-bodies";
import type { Callers } from "./callers";
import { discardBody, readBody } from "./body";
import { budgetOf, Deadline } from "./deadline";
import type { Health } from "./health";
import type { InFlight } from "./in-flight";
import { errorText, type Log } from "./log";
import { type Fault, faultReply, type Reply } from "./reply";
import type { Metrics } from "./metrics";
import { answerReview, type ReviewContext } from "./review";
import { factsOf, type Reviewed } from "./review-answer";

/** What the admission path needs beside the rules. */
export interface AdmissionContext extends ReviewContext {
  readonly maxBody: number;
  readonly budget: BodyBudget;
  /** Where callers have to show a certificate. */
  readonly callers?: Callers | undefined;
  readonly inFlight: InFlight;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Answers every call of the admission path. */
export function admissionListener(context: AdmissionContext): RequestListener {
  return (request, response) => {
    answer(request, response, context).catch((error: unknown) => {
      context.log.error(crashFields(error), "a call failed");
      response.destroy();
    });
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  context: AdmissionContext,
): Promise<void> {
  const { inFlight, metrics } = context;
  const start = performance.now();
  const fault = judgeCaller(request, context) ?? judgeHead(request, context.maxBody);
  if (fault !== undefined) {
    await refuse(request, response, { fault, context });
    return;
  }
  if (!inFlight.enter()) {
    metrics.shed("overloaded");
    const overload = { code: 429, message: "too many reviews at once" } as const;
    await refuse(request, response, { fault: overload, context });
    return;
  }
  const bytes = announced(request, context.maxBody);
  if (!context.budget.take(bytes)) {
    inFlight.leave();
    metrics.shed("large bodies");
    const full = { code: 429, message: "too many large reviews at once" } as const;
    await refuse(request, response, { fault: full, context });
    return;
  }
  try {
    await answerWithin(request, response, { context, start, bytes });
  } finally {
    // not with the response's end: that is up to the caller, who may never read it
    inFlight.leave();
  }
}

/** A call that was let in. */
interface Entered {
  readonly context: AdmissionContext;
  readonly start: number;
  /** Of the budget. */
  readonly bytes: number;
}

async function answerWithin(
  request: IncomingMessage,
  response: ServerResponse,
  { context, start, bytes }: Entered,
): Promise<void> {
  const { log, metrics } = context;
  // not when the caller goes away either: until it is parsed, its body is in memory
  const reviewed = await review(request, context).finally(() => {
    context.budget.give(bytes);
  });
  if (reviewed === undefined) {
    log.debug({}, "the caller went away");
    response.destroy();
    return;
  }
  send(response, reviewed.reply, context.health);
  const ms = Math.round((performance.now() - start) * 100) / 100;
  metrics.review(reviewed.facts, { seconds: ms / 1_000, bytes: reviewed.bytes });
  log.review({ ...reviewed.entry, status: reviewed.reply.status, ms });
  if (reviewed.crash !== undefined) log.error(crashFields(reviewed.crash), "a rule failed");
}

/** A body that does not say how long it is may become as long as is allowed. */
function announced({ headers }: IncomingMessage, maxBody: number): number {
  const length = headers["content-length"];
  return length === undefined ? maxBody : Number(length);
}

/** A message may quote what it stumbled over: escaped and cut, and the frames without it. */
function crashFields(crash: unknown): object {
  const frames = (crash instanceof Error ? (crash.stack ?? "") : "").match(/^ +at .*$/gm) ?? [];
  return { because: plain(errorText(crash)), frames: frames.map((frame) => frame.trim()) };
}

function judgeCaller(
  { socket }: IncomingMessage,
  { callers }: AdmissionContext,
): Fault | undefined {
  const message = callers?.problem(socket);
  return message === undefined ? undefined : { code: 403, message };
}

/** What can be refused before the body is read. */
function judgeHead({ method, headers }: IncomingMessage, maxBody: number): Fault | undefined {
  if (method !== "POST") return { code: 405, message: "reviews are sent with POST" };
  if (!isJson(headers["content-type"] ?? "")) {
    return { code: 415, message: "the content type has to be application/json in UTF-8" };
  }
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    return { code: 415, message: "a content encoding is not accepted" };
  }
  return Number(headers["content-length"] ?? 0) > maxBody ? tooLarge(maxBody) : undefined;
}

function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return type?.trim() === "application/json" && utf8;
}

function tooLarge(maxBody: number): Fault {
  return { code: 413, message: `the body is larger than ${maxBody} bytes` };
}

/** An answered review, and how long its body was. */
type Sized = Reviewed & { readonly bytes: number };

/** The reviewed body; undefined when there is nobody left to answer. */
async function review(
  request: IncomingMessage,
  context: AdmissionContext,
): Promise<Sized | undefined> {
  const deadline = new Deadline(budgetFor(request.url));
  const limits = { bytes: context.maxBody, ms: deadline.left() };
  const body = await readBody(request, limits, context.inFlight.arriving);
  switch (body.is) {
    case "whole":
      return {
        ...(await answerReview(body.bytes, context, deadline)),
        bytes: body.bytes.length,
      };
    case "too large":
      await discardBody(request, leftovers(context));
      return faulty(tooLarge(context.maxBody));
    case "late":
      context.metrics.shed("late");
      return faulty({ code: 503, message: "cannot judge: the body did not arrive in time" });
    case "shed":
      context.metrics.shed("overloaded");
      return faulty({ code: 429, message: "too many reviews at once, and the body is late" });
    case "gone":
      return undefined;
  }
}

function faulty(fault: Fault): Sized {
  const verdict = fault.code === 503 || fault.code === 429 ? "unknown" : "unreadable";
  return {
    reply: faultReply(fault),
    entry: { verdict, because: fault.message },
    facts: factsOf(undefined, { verdict }),
    bytes: 0,
  };
}

let lastUrl = "";
let lastBudget = budgetOf(null);

/** An API server calls with the same path and the same time again and again. */
function budgetFor(url = ""): number {
  if (url === lastUrl) return lastBudget;
  const query = url.indexOf("?");
  lastBudget = budgetOf(query < 0 ? null : new URLSearchParams(url.slice(query)).get("timeout"));
  lastUrl = url;
  return lastBudget;
}

interface Refusal {
  readonly fault: Fault;
  readonly context: AdmissionContext;
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { fault, context }: Refusal,
): Promise<void> {
  await discardBody(request, leftovers(context));
  send(response, faultReply(fault), context.health);
  context.log.info({ status: fault.code, because: fault.message }, "call refused");
}

/** Enough for an honest caller to finish sending; more is cut off. */
function leftovers({ maxBody }: AdmissionContext) {
  return { bytes: 2 * maxBody, ms: 1_000 };
}

function send(response: ServerResponse, { status, headers, body }: Reply, health: Health): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
    ...health.connectionHeaders(),
  });
  response.end(body);
}
