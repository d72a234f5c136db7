/**
 * Reviews of all shapes against a plain reading of the rules: never a throw, never an allow where
 * that reading denies. The run is the same each time; a failure names the seed and the review.
 *
 * `ENGINE_FUZZ_REVIEWS=100000 npx jest test/webhook/adversarial/fuzz` is the long run (a minute),
 * `ENGINE_FUZZ_SEED` another one.
 */
import fc from "fast-check";
import { projectCluster } from "../../../plugin/domain/rules/clusters";
import { defaultNames } from "../../../plugin/domain/names/names";
import { answerReview } from "../../../webhook/review/review";
import type { Reviewed } from "../../../webhook/review/answer";
import { FakeClusters } from "../fake-clusters";
import { aReview, bytesOf, options } from "../reviews";
import { clusters, request } from "./made-up";
import { expectedOf } from "./reference";

const numRuns = Number(process.env["ENGINE_FUZZ_REVIEWS"] ?? 1_000);
const seed = Number(process.env["ENGINE_FUZZ_SEED"] ?? 20_260_101);

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
