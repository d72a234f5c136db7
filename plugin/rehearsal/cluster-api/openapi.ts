/** The description of the API, OpenAPI 3.1, as the release serves it and under the names in use. */
import type { Names } from "../../domain/names";
import type { Json } from "../../domain/values";
import { type CallDoc, callDocs } from "./openapi-calls";
import { schemasOf } from "./openapi-schemas";
import { pathOf, type Site } from "./routing";
import { routesOf } from "./routes";

type Described = Pick<Site, "names" | "profile">;

/** The document. */
export function openapiDocument({ names, profile }: Described): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { method, path } of routesOf(profile)) {
    const doc = callDocs[`${method} ${path}`];
    if (doc === undefined) continue;
    (paths[pathOf(path, names)] ??= {})[method.toLowerCase()] = operation(doc, names);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Cluster REST API, as the rehearsal plays it",
      version: profile.softwareVersion,
      description:
        "What the specification shows, and what is known from practice; bodies of errors and further fields may differ on a real cluster.",
    },
    servers: [{ url: "/" }],
    security: [
      ...(profile.basic ? [{ basic: [] }] : []),
      ...(profile.tokens ? [{ token: [] }] : []),
    ],
    paths,
    components: {
      securitySchemes: {
        basic: { type: "http", scheme: "basic" },
        token: { type: "http", scheme: "bearer" },
      },
      schemas: schemasOf(names, profile),
    },
  };
}

function operation(doc: CallDoc, names: Names): Json {
  const schema = { $ref: `#/components/schemas/${doc.answer}` };
  const answer = doc.isList === true ? { type: "array", items: schema } : schema;
  const refusal = { $ref: "#/components/schemas/Refusal" };
  return {
    operationId: doc.id,
    summary: doc.says,
    description: doc.source,
    ...(doc.open === true && { security: [] }),
    ...(doc.parameter !== undefined && {
      parameters: [{ name: "uid", in: "path", required: true, schema: { type: doc.parameter } }],
    }),
    ...requestBody(doc, names),
    responses: {
      200: { description: doc.ok ?? "OK", content: { "application/json": { schema: answer } } },
      ...Object.fromEntries(
        Object.entries({ ...commonRefusals(doc), ...doc.refusals }).map(([code, description]) => [
          code,
          { description, content: { "application/json": { schema: refusal } } },
        ]),
      ),
    },
  };
}

function commonRefusals({ open }: CallDoc): Readonly<Record<string, string>> {
  return {
    401: open === true ? "wrong user or password" : "credentials are missing or wrong (S105)",
    500: "internal error (S112)",
    503: "not available now",
  };
}

function requestBody({ sends }: CallDoc, names: Names): Json {
  if (sends === undefined) return {};
  if (sends !== "file") {
    const schema = { $ref: `#/components/schemas/${sends}` };
    const required = sends !== "UpgradeRequest";
    return { requestBody: { required, content: { "application/json": { schema } } } };
  }
  const file = names.restModuleFields.file;
  const schema = {
    type: "object",
    required: [file],
    properties: { [file]: { type: "string", contentMediaType: "application/zip" } },
  };
  return { requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
}
