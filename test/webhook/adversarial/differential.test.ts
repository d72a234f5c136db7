/**
 * The webhook's judgment, from the bytes of a review cut to what is judged, against that of `validate`
 * and `audit` over whole objects: the same verdict, under every setting.
 *
 * `ENGINE_DIFFERENTIAL=100000 npx jest test/webhook/adversarial/differential` is the long run.
 */
import fc from "fast-check";
import { projectCluster } from "../../../plugin/domain/rules/clusters";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { Edit, RuleOptions } from "../../../plugin/domain/rules/types";
import { judgeIn } from "../../../plugin/commands/validate/violations";
import { getOwn, isObject, type Json } from "../../../plugin/domain/base/values";
import { answerReview } from "../../../webhook/review/review";
import { FakeClusters } from "../fake-clusters";
import { aReview, bytesOf } from "../reviews";
import { clusters, request } from "./made-up";

const numRuns = Number(process.env["ENGINE_DIFFERENTIAL"] ?? 2_000);
const seed = Number(process.env["ENGINE_FUZZ_SEED"] ?? 20_260_101);

const setting = fc.constantFrom("deny" as const, "deny" as const, "warn" as const, "off" as const);
const options = fc.record({
  reading: fc.constantFrom("target" as const, "step" as const),
  allowLatest: fc.constantFrom(undefined, true, false),
  rules: fc.record({ version: setting, policy: setting, modules: setting }),
  names: fc.constant(names),
});

/** A request that is judged: of a database, made or changed. */
const judged = fc
  .tuple(request, fc.constantFrom(names.edb, names.eaadb), fc.constantFrom("CREATE", "UPDATE"))
  .map(([asked, { plural }, operation]) => ({
    ...asked,
    ...{ resource: { group: names.group, resource: plural }, subResource: "", operation },
  }));

/** The edit as a file or a stored object gives it; undefined where there is no object to judge. */
function editOf({ object, oldObject, operation, resource }: Json): Edit | undefined {
  const kind = getOwn(resource, "resource") === names.edb.plural ? "edb" : "eaadb";
  if (!isObject(object)) return undefined;
  if (operation === "CREATE") return { kind, before: undefined, after: object };
  return isObject(oldObject) ? { kind, before: oldObject, after: object } : undefined;
}

const seen = { true: 0, false: 0 };
let open = 0;

test(`${numRuns} edits from seed ${seed} get one verdict in both ways`, async () => {
  const judge = async (asked: object, ecs: readonly object[], settings: RuleOptions) => {
    const sent = JSON.parse(JSON.stringify({ asked, ecs })) as {
      readonly asked: Json;
      readonly ecs: readonly unknown[];
    };
    const edit = editOf(sent.asked);
    if (edit === undefined) return;
    const all = sent.ecs.flatMap((ec) => projectCluster(ec, names) ?? []);
    const context = {
      clusters: Object.assign(new FakeClusters(), { known: all }),
      operatorNamespace: "engine",
      options: settings,
    };
    const { reply } = await answerReview(
      bytesOf(aReview(sent.asked)),
      context,
      performance.now() + 60_000,
    );
    const { response } = JSON.parse(reply.body) as {
      response: { allowed: boolean; warnings?: string[] };
    };
    const { namespace } = sent.asked;
    const world = { options: settings, operatorNamespace: "engine", clusters: all, complete: true };
    const { verdict, unevaluated } = judgeIn(world)(
      edit,
      typeof namespace === "string" ? namespace : "",
    );
    const refused = verdict.causes.length > 0;
    seen[`${refused}`] += 1;
    expect(response.allowed).toBe(!refused);
    // what files leave open passes the webhook with a warning
    const isOpen = response.warnings?.some((text) => text.startsWith("not checked: ")) ?? false;
    expect(isOpen).toBe(unevaluated !== undefined);
    if (isOpen) open += 1;
  };
  await fc.assert(fc.asyncProperty(judged, clusters, options, judge), { numRuns, seed });
  // a generator that makes nothing but one verdict would prove nothing
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(numRuns / 20);
  expect(open).toBeGreaterThan(numRuns / 500);
}, 900_000);
