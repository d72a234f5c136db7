/** The admission path over HTTP: what surrounds a review on the wire, and one log line for each. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Answers } from "./answers";
import { type BodyBudget, Room } from "./big-bodies";
import type { Callers } from "./callers";
import { type Body, discardBody, readBody } from "./body";
import { announcedBy, budgetFor, judgeCaller, judgeHead, tooLarge } from "./call-head";
import { answerCrash, crashFields, crashTeller, type CrashTeller } from "./crash";
import { Deadline } from "./deadline";
import type { Health } from "./health";
import type { InFlight } from "./in-flight";
import type { Log } from "./log";
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
  const tellCrash = crashTeller(context.log, context.metrics);
  const shared: CallContext = { ...context, answers: new Answers(), tellCrash };
  return (request, response) => {
    new Call(request, response, shared).begin();
  };
}

/** Why a call goes no further; some are counted. */
type TurnedAway = Fault & { readonly shed?: "overloaded" | "large bodies" };

/** What all calls share. */
interface CallContext extends AdmissionContext {
  readonly answers: Answers;
  readonly tellCrash: CrashTeller;
}

/** One call, from its head to its line in the log. */
class Call {
  private readonly start = performance.now();
  private readonly room: Room;
  /** True while it holds its places. */
  private isIn = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly context: CallContext,
  ) {
    this.room = new Room(context.budget, context.inFlight.arriving);
  }

  /** Nothing that it meets is thrown at the server, which knows nothing of its places. */
  begin(): void {
    try {
      this.enterOrRefuse();
    } catch (error) {
      this.fail(error);
    }
  }

  private enterOrRefuse(): void {
    const { request, context } = this;
    const fault =
      judgeCaller(request, context.callers) ?? judgeHead(request, context.maxBody) ?? this.enter();
    if (fault === undefined) this.receive();
    else this.refuse(fault);
  }

  /** Takes the places that the call needs; without one, why it is turned away. */
  private enter(): TurnedAway | undefined {
    const { inFlight } = this.context;
    if (!inFlight.enter()) {
      return { code: 429, message: "too many reviews at once", shed: "overloaded" };
    }
    if (!this.room.take(announcedBy(this.request))) {
      inFlight.leave();
      return { ...crowded, shed: "large bodies" };
    }
    this.isIn = true;
    return undefined;
  }

  private refuse({ shed, ...fault }: TurnedAway): void {
    const { request, response, context } = this;
    if (shed !== undefined) context.metrics.shed(shed);
    this.after(discardBody(request, leftovers(context)), () => {
      send(response, faultReply(fault), context.health);
      context.log.info({ status: fault.code, because: fault.message }, "call refused");
    });
  }

  private receive(): void {
    const { request, context, room, start: since } = this;
    const ms = budgetFor(request.url);
    const deadline = new Deadline(ms, undefined, since);
    const { arriving } = context.inFlight;
    const limits = { bytes: context.maxBody, ms, since, arriving, room };
    readBody(request, limits, (body) => {
      try {
        this.judge(body, deadline);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  private judge(body: Body, deadline: Deadline): void {
    const { context } = this;
    if (body.is !== "whole") {
      this.withoutBody(body.is);
      return;
    }
    const reviewed = answerReview(body.bytes, context, deadline);
    const { length } = body.bytes;
    if (!(reviewed instanceof Promise)) {
      this.answer(reviewed, length);
      return;
    }
    this.after(reviewed, (later) => {
      this.answer(later, length);
    });
  }

  /** There is no body to judge: who is still there is told why. */
  private withoutBody(is: Exclude<Body["is"], "whole">): void {
    const { request, response, context } = this;
    switch (is) {
      case "too large":
        this.after(discardBody(request, leftovers(context)), () => {
          this.answer(faulty(tooLarge(context.maxBody)), 0);
        });
        break;
      case "late":
        context.metrics.shed("late");
        this.answer(faulty(lateBody), 0);
        break;
      case "crowded":
        context.metrics.shed("large bodies");
        this.after(discardBody(request, leftovers(context)), () => {
          this.answer(faulty(crowded), 0);
        });
        break;
      case "shed":
        context.metrics.shed("overloaded");
        this.answer(faulty(shedBody), 0);
        break;
      case "gone":
        this.leave();
        context.log.debug({}, "the caller went away");
        response.destroy();
    }
  }

  private answer(reviewed: Reviewed, bytes: number): void {
    const { response, context } = this;
    // not with the response's end: that is up to the caller, who may never read it
    this.leave();
    context.answers.add({
      send: () => {
        send(response, reviewed.reply, context.health);
      },
      tell: () => {
        this.tell(reviewed, bytes);
      },
      fail: (error) => {
        this.fail(error);
      },
    });
  }

  private tell({ reply, entry, facts, crash }: Reviewed, bytes: number): void {
    const { log, metrics } = this.context;
    const ms = Math.round((performance.now() - this.start) * 100) / 100;
    metrics.review(facts, { seconds: ms / 1_000, bytes });
    log.review(entry, { status: reply.status, ms });
    if (crash !== undefined) log.error(crashFields(crash), "a rule failed");
  }

  /** Gives its places back: not when the caller goes away, for until then its body is in memory. */
  private leave(): void {
    if (!this.isIn) return;
    this.isIn = false;
    this.room.leave();
    this.context.inFlight.leave();
  }

  private fail(error: unknown): void {
    this.leave();
    this.context.tellCrash(error);
    answerCrash(this.response);
  }

  /** Goes on when something has come, whatever becomes of it. */
  private after<T>(coming: Promise<T>, goOn: (come: T) => void): void {
    coming.then(goOn).catch((error: unknown) => {
      this.fail(error);
    });
  }
}

const lateBody = { code: 503, message: "cannot judge: the body did not arrive in time" } as const;
const crowded = { code: 429, message: "too many large reviews at once" } as const;
const shedBody = { code: 429, message: "too many reviews at once, and the body is late" } as const;

function faulty(fault: Fault): Reviewed {
  const verdict = fault.code === 503 || fault.code === 429 ? "unknown" : "unreadable";
  return {
    reply: faultReply(fault),
    entry: { verdict, because: fault.message },
    facts: factsOf(undefined, { verdict }),
  };
}

/** Enough for an honest caller to finish sending; more is cut off. */
function leftovers({ maxBody }: AdmissionContext) {
  return { bytes: 2 * maxBody, ms: 1_000 };
}

const beyondAscii = /[^\x00-\x7f]/;

/** Names and values by turns: node takes them as they are. */
function send(response: ServerResponse, { status, headers, body }: Reply, health: Health): void {
  // what is ASCII, as all but a strange uid is, needs no encoding
  const encoding = beyondAscii.test(body) ? "utf8" : "latin1";
  const length = String(encoding === "utf8" ? Buffer.byteLength(body) : body.length);
  const head = ["content-type", "application/json", "content-length", length];
  const more = { ...headers, ...health.connectionHeaders() };
  for (const name in more) head.push(name, more[name] ?? "");
  response.writeHead(status, head);
  response.end(body, encoding);
}
