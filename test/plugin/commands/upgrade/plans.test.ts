/**
 * A plan is what happens: no undisturbed run does otherwise than its plan has said. ENGINE_PLANS=1000 tries
 * all plans over the 200 clusters instead of every fifth one.
 */
import { planBy } from "../../../support/broken-worlds";
import { asPlanned } from "../../../support/upgrade-worlds";

const all = 1_000;
const plans = Number(process.env["ENGINE_PLANS"] ?? 200);
const groups = 10;
/** So that a smaller number also has every turn of the clusters: 1,000 is no multiple of it. */
const stride = 7;

test.each(Array.from({ length: groups }, (_, index) => index))(
  "writes, end and pauses are as planned, group %i",
  async (group) => {
    const wrong: string[] = [];
    for (let turn = group; turn < plans; turn += groups) {
      const { title, world, parts } = await planBy((turn * stride) % all);
      wrong.push(...(await asPlanned(world, parts)).map((one) => `${title}: ${one}`));
    }
    expect(wrong).toEqual([]);
  },
  1_800_000,
);
