/** The description of the API, OpenAPI 3.1, as the release serves it and under the names in use. */
import type { Json } from "../../domain/values";
import { type Endpoint, endpointsOf, tokenSeconds } from "./endpoints";
import {
  actionFields,
  closed,
  clusterFields,
  databaseFields,
  type RecordField,
  flag,
  licenseFields,
  moduleFields,
  newerActionFields,
  nodeFields,
  policyFields,
  schemaOf,
  type Telling,
  text,
  texts,
} from "./records";
import { entryFields, requestFields, schemasOfFields } from "./upgrade";

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string): Json => ({ type: "array", items: refTo(name) });

/** The document. */
export function openapiDocument(telling: Telling): Json {
  const { names, profile } = telling;
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpointsOf(profile)) {
    const path = (paths[names.restPaths[endpoint.path]] ??= {});
    path[endpoint.method.toLowerCase()] = operation(endpoint, telling);
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
      schemas: schemasOf(telling),
    },
  };
}

function operation(endpoint: Endpoint, { names }: Telling): Json {
  const { id, says, source, open, parameter, gives, isList, ok = "OK", refusals } = endpoint;
  const common = {
    401: open === true ? "wrong user or password" : "credentials are missing or wrong (S105)",
    500: "internal error (S112)",
    503: "not available now",
  };
  const content = (schema: Json) => ({ content: { "application/json": { schema } } });
  return {
    operationId: id,
    summary: says,
    description: source,
    ...(open === true && { security: [] }),
    ...(parameter !== undefined && {
      parameters: [{ name: "uid", in: "path", required: true, schema: { type: parameter } }],
    }),
    ...requestBody(endpoint, names.restModuleFields.file),
    responses: {
      200: { description: ok, ...content(isList === true ? listOf(gives) : refTo(gives)) },
      ...Object.fromEntries(
        Object.entries({ ...common, ...refusals }).map(([code, description]) => [
          code,
          { description, ...content(refTo("Refusal")) },
        ]),
      ),
    },
  };
}

function requestBody({ sends }: Endpoint, file: string): Json {
  if (sends === undefined) return {};
  if (sends !== "file") {
    const required = sends !== "UpgradeRequest";
    const content = { "application/json": { schema: refTo(sends) } };
    return { requestBody: { required, content } };
  }
  const schema = {
    type: "object",
    required: [file],
    properties: { [file]: { type: "string", contentMediaType: "application/zip" } },
  };
  return { requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
}

/** Every schema by its name. */
function schemasOf(telling: Telling): Readonly<Record<string, Json>> {
  const { names, profile } = telling;
  const { restErrors: errors, restModuleFields: module, authorizeFields: token } = names;
  const { actionFields: actions, clusterFields: cluster, licenseFields: license } = names;
  const followed: RecordField<unknown> = [names.bdbFields.actionUid, text, () => undefined];
  const { least: minimum, most: maximum } = tokenSeconds;
  const said = profile.errorBody === "description" ? errors.description : errors.message;
  return {
    Database: schemaOf(databaseFields(telling)),
    UpgradedDatabase: schemaOf([...databaseFields(telling), followed]),
    UpgradeRequest: closed(schemasOfFields(requestFields, names), []),
    ModuleEntry: { ...closed(schemasOfFields(entryFields, names), []), minProperties: 1 },
    Module: schemaOf(moduleFields(telling)),
    InstalledModule: schemaOf([...moduleFields(telling), followed]),
    // fields that are not known are left alone: nothing says what else a manifest may hold
    Manifest: {
      type: "object",
      properties: {
        [module.name]: text,
        [module.displayName]: text,
        [module.version]: text,
        [module.minEngineVersion]: text,
        [module.compatibleEngineVersion]: text,
        [module.minPackVersion]: text,
        [module.platforms]: { type: ["object", "array"] },
        [module.capabilities]: texts,
      },
      required: [module.name, module.version],
    },
    Action: schemaOf(actionFields(telling)),
    NewerAction: schemaOf(newerActionFields(telling)),
    Actions: closed({
      [actions.actions]: listOf("Action"),
      [actions.stateMachines]: listOf("Action"),
    }),
    License: schemaOf(licenseFields(telling)),
    LicenseRequest: closed({ [license.text]: { type: "string", minLength: 1 } }),
    Cluster: schemaOf(clusterFields(telling)),
    ClusterRequest: closed({ [cluster.allowModulesUpload]: flag }),
    Policy: schemaOf(policyFields(telling)),
    Node: schemaOf(nodeFields(telling)),
    TokenRequest: closed(
      {
        [token.username]: text,
        [token.password]: text,
        [token.ttl]: { type: "integer", minimum, maximum },
      },
      [token.username, token.password],
    ),
    Token: closed({ [token.accessToken]: text }),
    Refusal: closed({ [errors.code]: text, [said]: text }),
  };
}
