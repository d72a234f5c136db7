/**
 * Reviews of all shapes against a plain reading of the rules: never a throw, never an allow where
 * that reading denies. The run is the same each time; a failure names the seed and the review.
 *
 * `ENGINE_FUZZ_REVIEWS=100000 npx jest test/webhook/adversarial/fuzz` is the long run (a minute),
 * `ENGINE_FUZZ_SEED` another one.
 */
import fc from "fast-check";
import { projectCluster } from "../../../plugin/domain/clusters";
import { defaultNames } from "../../../plugin/domain/names";
import { answerReview } from "../../../webhook/review/review";
import type { Reviewed } from "../../../webhook/review/answer";
import { FakeClusters } from "../fake-clusters";
import { aReview, bytesOf, options } from "../reviews";
import { expectedOf } from "./reference";

const numRuns = Number(process.env["ENGINE_FUZZ_REVIEWS"] ?? 1_000);
const seed = Number(process.env["ENGINE_FUZZ_SEED"] ?? 20_260_101);

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -0, 8, 7.4, 1e308, "", " ", "__proto__", [], {}, [[]]),
  fc.constantFrom<unknown>({ name: {} }, { constructor: 1 }, "\u0000", "\ud800", "7.2\n", "major"),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Mostly what belongs there, sometimes anything, sometimes nothing. */
const mostly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
const record = (model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(model, { requiredKeys });

const version = mostly(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("7.2", "7.4", "8.0", "8.2", "major") },
    {
      weight: 2,
      arbitrary: fc.constantFrom("6.2", "8.4", "9.0", "10.0", "latest", "Major", "7.4.2", "v7.4"),
    },
    { weight: 1, arbitrary: fc.constantFrom("07.2", "7.02", "7", "7.", "7.2-", "٧.٢", " 7.2") },
  ),
);
const moduleName = fc.constantFrom("search", "bf", "ReJSON", "mine", "Mine", "EngineSearch", "x");
const modules = mostly(
  fc.array(mostly(record({ name: mostly(moduleName), version: mostly(version) }, ["name"])), {
    maxLength: 4,
  }),
);
const place = fc.constantFrom("engine", "apps", "other");
const clusterName = fc.constantFrom("ec", "two", "__proto__");
const judgedFields = { engineVersion: version, moduleList: modules, modulesList: modules };
const clusterReference = mostly(record({ name: mostly(clusterName) }, ["name"]));

/** Passed over by the parser where they belong, and nowhere else. */
const managedFields = mostly(
  fc.constantFrom(
    [],
    [{ manager: "kubectl", fieldsV1: { "f:spec": { ".": {}, 'k:{"a":"ü"}': {} } } }],
  ),
);

const database = mostly(
  record(
    {
      metadata: mostly(
        record({
          name: fc.constant("db1"),
          managedFields,
          deletionTimestamp: fc.option(fc.constant("2026-01-01T00:00:00Z"), { freq: 9 }),
          annotations: mostly(
            record({
              "engine.io/admission-bypass": mostly(fc.constant("reason")),
              "engine.io/admission-bypass-until": mostly(fc.constant("2999-01-01T00:00:00Z")),
            }),
          ),
        }),
      ),
      spec: mostly(
        record(
          {
            ...judgedFields,
            managedFields,
            engineEnterpriseCluster: clusterReference,
            globalConfigurations: mostly(record(judgedFields, ["engineVersion"])),
          },
          ["engineVersion", "globalConfigurations"],
        ),
      ),
      status: mostly(record({ version: mostly(fc.constantFrom("7.2.4", "7.4.2", "8.0", "x")) })),
    },
    ["spec"],
  ),
);

const cluster = fc
  .record({
    metadata: fc.record({ namespace: place, name: clusterName }),
    spec: mostly(
      record({
        engineUpgradePolicy: mostly(fc.constantFrom("major", "major", "latest", "Major")),
        userDefinedModules: mostly(fc.array(mostly(record({ name: mostly(moduleName) })))),
      }),
    ),
    status: mostly(
      record({
        bundledDatabaseVersions: mostly(
          fc.array(
            mostly(
              record(
                { dbType: mostly(fc.constant("engine")), version, major: mostly(fc.boolean()) },
                ["dbType", "version"],
              ),
            ),
          ),
        ),
        modules: mostly(
          fc.array(mostly(record({ name: moduleName, displayName: mostly(moduleName) }))),
        ),
      }),
    ),
  })
  .map((object) => object as object);
const clusters = fc.uniqueArray(cluster, {
  maxLength: 3,
  selector: (ec) => {
    const { metadata } = ec as { readonly metadata: Record<string, string> };
    return `${metadata["namespace"] ?? ""}/${metadata["name"] ?? ""}`;
  },
});

const plural = fc.constantFrom(
  "engineenterprisedatabases",
  "engineenterprisedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseremoteclusters",
  "pods",
);
const request = record(
  {
    uid: fc.constant("uid-1"),
    kind: mostly(fc.constant({ group: "app.engine.com", kind: "EngineEnterpriseDatabase" })),
    resource: fc.record({
      group: fc.constantFrom("app.engine.com", "app.engine.com", ""),
      resource: plural,
    }),
    subResource: fc.constantFrom("", "", "", "status"),
    name: mostly(fc.string()),
    namespace: place,
    operation: fc.constantFrom("CREATE", "UPDATE", "UPDATE", "UPDATE", "DELETE", "CONNECT", "x"),
    userInfo: mostly(fc.constant({ groups: ["oncall"] })),
    object: database,
    oldObject: database,
    dryRun: mostly(fc.boolean()),
  },
  ["uid", "resource", "operation", "object", "oldObject"],
);

async function answered(
  body: Buffer,
  ecs: readonly unknown[] = [],
  allowLatest?: boolean,
): Promise<Reviewed> {
  const known = ecs.flatMap((ec) => projectCluster(ec, defaultNames) ?? []);
  const context = {
    clusters: Object.assign(new FakeClusters(), { known }),
    operatorNamespace: "engine",
    options: { ...options, allowLatest },
  };
  return answerReview(body, context, performance.now() + 60_000);
}

interface Answer {
  readonly kind: string;
  readonly response?: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly warnings?: readonly string[];
    readonly status?: { readonly details: { readonly causes: readonly object[] } };
  };
}

/** What every answer has to be, whatever was asked. */
function checkShape({ reply, crash }: Reviewed): Answer {
  expect(crash).toBeUndefined();
  expect([200, 400]).toContain(reply.status);
  expect(reply.body.length).toBeLessThan(32_768);
  expect(reply.body).not.toMatch(/[^\x20-\x7e]|"patch/);
  return JSON.parse(reply.body) as Answer;
}

const said = ({ response }: Answer): string => {
  if (response === undefined) return "unreadable";
  return response.allowed ? "allow" : "deny";
};

const seen: Record<string, number> = {};

test(`${numRuns} reviews from seed ${seed} are judged as the plain reading says`, async () => {
  const judge = async (
    asked: object,
    ecs: readonly object[],
    allowLatest: boolean | undefined,
  ): Promise<void> => {
    // what a number cannot keep on the wire is what was asked
    const sent = JSON.parse(JSON.stringify({ asked, ecs })) as {
      readonly asked: Readonly<Record<string, unknown>>;
      readonly ecs: readonly unknown[];
    };
    const body = bytesOf(aReview(sent.asked));
    const answer = checkShape(await answered(body, sent.ecs, allowLatest));
    const expected = expectedOf(sent.asked, sent.ecs, allowLatest);
    seen[expected] = (seen[expected] ?? 0) + 1;
    if (expected !== "either") expect(said(answer)).toBe(expected);
    for (const warning of answer.response?.warnings ?? []) {
      expect(warning.length).toBeLessThanOrEqual(120);
    }
    if (answer.response?.allowed === false) {
      expect(answer.response.status?.details.causes).not.toHaveLength(0);
    }
  };
  const latest = fc.constantFrom(undefined, true, false);
  await fc.assert(fc.asyncProperty(request, clusters, latest, judge), { numRuns, seed });
  // a generator that makes nothing but one verdict would prove nothing
  for (const verdict of ["allow", "deny", "unreadable"]) {
    expect(seen[verdict] ?? 0).toBeGreaterThan(numRuns / 100);
  }
});

test(`${numRuns} bodies from seed ${seed} that are broken somewhere are answered`, async () => {
  const cut = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat({ max: 40 }),
    bytes: fc.uint8Array({ maxLength: 8 }),
  });
  const judge = async (
    asked: object,
    { at, length, bytes }: typeof cut extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const whole = bytesOf(aReview(asked));
    const from = Math.floor(at * whole.length);
    const parts = [whole.subarray(0, from), bytes, whole.subarray(from + length)];
    checkShape(await answered(Buffer.concat(parts)));
  };
  await fc.assert(fc.asyncProperty(request, cut, judge), { numRuns, seed });
});

test(`${numRuns} JSON values from seed ${seed} in place of the request are answered`, async () => {
  const judge = async (value: unknown) => {
    checkShape(await answered(bytesOf(aReview(value))));
    checkShape(await answered(bytesOf(value)));
  };
  await fc.assert(fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), judge), { numRuns, seed });
});
