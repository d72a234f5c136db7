/** The Express application: the probes, and a plain answer to whatever else is asked. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { Health } from "./health";
import { type Fault, faultReply } from "./reply";

/** Serves the probes on the TLS port and on the metrics port. */
export function createApp(health: Health): Express {
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
  app.use(nothingHere);
  app.use(failed);
  return app;
}

const nothingHere: RequestHandler = (_request, response) => {
  sendFault(response, { code: 404, message: "there is nothing at this path" });
};

/** Express knows an error handler by its four parameters; its own would show a stack as HTML. */
// eslint-disable-next-line max-params
const failed: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) next(error);
  else sendFault(response, { code: 500, message: "the request failed" });
};

function sendFault(response: Parameters<RequestHandler>[1], fault: Fault): void {
  const { status, headers, body } = faultReply(fault);
  response.status(status).set(headers).type("json").send(body);
}
