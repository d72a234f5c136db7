/** The Express application: the probes, and a plain answer to whatever else is asked. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { type CrashTeller, type Fault, faultReply } from "./review/reply";
import type { Metrics } from "./metrics";
import type { CertificateState } from "./certificate/served";

/** What is served beside the probes, each where it is handed in. */
interface AppParts {
  /** On the metrics port. */
  readonly metrics?: Metrics;
  readonly tellCrash?: CrashTeller;
}

export function createApp(health: Health, { metrics, tellCrash }: AppParts = {}): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use((_request, response, next) => {
    response.set(health.connectionHeaders());
    next();
  });
  // Alive is an event loop that answers, nothing else: a restart cures nothing else.
  app.get(["/livez", "/liveness"], (_request, response) => {
    response.json({ live: true });
  });
  app.get(["/readyz", "/readiness"], (_request, response) => {
    const readiness = health.readiness();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  if (metrics !== undefined) {
    app.get("/metrics", async (_request, response) => {
      const { type, text } = await metrics.render();
      response.type(type).send(text);
    });
  }
  app.use(nothingHere);
  app.use(failed(tellCrash));
  return app;
}

const nothingHere: RequestHandler = (_request, response) => {
  sendFault(response, { code: 404, message: "there is nothing at this path" });
};

/** Express knows an error handler by its four parameters; its own would show a stack as HTML. */
function failed(tellCrash: CrashTeller = () => undefined): ErrorRequestHandler {
  // eslint-disable-next-line max-params
  return (error, _request, response, next) => {
    tellCrash(error);
    if (response.headersSent) next(error);
    else sendFault(response, { code: 500, message: "the request failed" });
  };
}

function sendFault(response: Parameters<RequestHandler>[1], fault: Fault): void {
  const { status, headers, body } = faultReply(fault);
  response.status(status).set(headers).type("json").send(body);
}

/** What has to hold before the first review can be judged. */
interface Conditions {
  readonly certificate: () => boolean;
  readonly clusters: () => boolean;
  /** Which certificate is served, for whoever compares it with what should be. */
  readonly certificateState?: () => CertificateState;
}

export interface Readiness {
  readonly ready: boolean;
  readonly conditions: Readonly<Record<string, boolean>>;
  readonly certificate?: CertificateState;
}

export class Health {
  private leaving = false;

  constructor(private readonly conditions: Conditions) {}

  /** From now on: not ready, and every answer closes its connection, so that callers move on. */
  drain(): void {
    this.leaving = true;
  }

  /** Each condition by name, and whether all hold. */
  readiness(): Readiness {
    const conditions = {
      certificate: this.conditions.certificate(),
      clusters: this.conditions.clusters(),
      serving: !this.leaving,
    };
    const certificate = this.conditions.certificateState?.();
    return {
      ready: Object.values(conditions).every(Boolean),
      conditions,
      ...(certificate && { certificate }),
    };
  }

  connectionHeaders(): Readonly<Record<string, string>> {
    return this.leaving ? { connection: "close" } : {};
  }
}
