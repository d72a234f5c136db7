/** The service as an Express application: who calls, which call it is, failures put in, the answer. */
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { own } from "../../domain/values";
import { readJson } from "./body";
import { answer, passes, refuse } from "./failing";
import type { ApiFaults } from "./faults";
import { openapiDocument } from "./openapi";
import { ApiRefusal, malformed, notFound } from "./refusal";
import { routesOf } from "./routes";
import { type Answer, pathOf, patternOf, type Route, type Site } from "./routing";

/** A call that was made, for tests and for people. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  /** 0 where no answer was sent. */
  readonly status: number;
}

/** What the application works with. */
export interface AppParts {
  readonly site: Site;
  readonly faults: ApiFaults;
  /** Calls are added to it. */
  readonly calls: SeenCall[];
}

/** Larger than any JSON that is meant here; more is 413, since no limit is shown (S118). */
const jsonLimit = 1024 * 1024;

/** The application; every answer is JSON. */
export function clusterApiApp({ site, faults, calls }: AppParts): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use((request, response, next) => {
    const { method, path } = request;
    const host = request.headers.host ?? "";
    response.on("close", () => {
      const status = response.headersSent ? response.statusCode : 0;
      calls.push({ method, path, host, status });
    });
    next();
  });
  app.use(async (request, response, next) => {
    const fault = faults.take(request.method, request.path);
    response.locals["fault"] = fault;
    if (fault === undefined || (await passes(fault, { response, path: request.path, site })))
      next();
  });
  for (const [path, routes] of byPath(site)) {
    app.all(patternOf(path), async (request, response) => {
      const { body, headers = {} } = await answered(routes, request, site);
      answer(response, { status: 200, body, headers });
    });
  }
  app.use((request) => {
    throw notFound(`the path ${request.path.slice(0, 200)}`);
  });
  // Express knows an error handler by its four parameters
  // eslint-disable-next-line max-params
  app.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) next(error);
    else refuse(response, asRefusal(error), site);
  });
  return app;
}

function byPath(site: Site): ReadonlyMap<string, readonly Route[]> {
  const paths = new Map<string, Route[]>();
  const describe: Route = {
    method: "GET",
    path: "openapi",
    open: true,
    answer: () => ({ body: openapiDocument(site) }),
  };
  for (const route of [...routesOf(site.profile), describe]) {
    const path = pathOf(route.path, site.names);
    paths.set(path, [...(paths.get(path) ?? []), route]);
  }
  return paths;
}

/** Versions of the API are whole numbers; which ones there are is not shown (S128; domain facts 9). */
function judgeVersion({ headers }: Request): void {
  const asked = headers["x-api-version"];
  if (asked === undefined || /^[1-9]\d{0,2}$/.test(String(asked))) return;
  throw new ApiRefusal(505, "bad_api_version", "the header x-api-version names no version");
}

async function answered(routes: readonly Route[], request: Request, site: Site): Promise<Answer> {
  judgeVersion(request);
  const route = routes.find(({ method }) => method === request.method);
  const isOpen = route?.open === true;
  const user = isOpen ? undefined : site.callers.known(request.headers.authorization);
  if (route === undefined) {
    const allow = routes.map(({ method }) => method).join(", ");
    const refusal = new ApiRefusal(405, "method_not_allowed", `this path takes ${allow}`);
    throw refusal.with({ allow });
  }
  site.works.advance();
  const body = route.reads === "upload" ? undefined : await readJson(request, jsonLimit);
  const params = { ...request.params } as Readonly<Record<string, string>>;
  return await route.answer({ params, user, body, request }, site);
}

/** What was thrown, as an answer; an error of the service itself says nothing of its inside (S112). */
function asRefusal(error: unknown): ApiRefusal {
  if (error instanceof ApiRefusal) return error;
  const status = own(error, "status");
  if (status === 400) return malformed(["the path is not readable"]);
  return new ApiRefusal(500, "internal_error", "internal error");
}
