/** `upgrade --only`: some parts, in the same order and with the same proofs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { aPlayedWorld } from "../../../support/played-operator";
import { folder, upgrade } from "../../../support/upgrade-runs";
import { wishes, worldOf } from "../../../support/upgrade-worlds";

const bound = wishes.filter(({ name }) => name === "constraint bound");
const partsOf = (details: unknown): readonly (readonly [string, string])[] =>
  (details as { parts: { part: string; result: string }[] }).parts.map(
    ({ part, result }) => [part, result] as const,
  );

test("does the named parts in the order of the procedure, and a second run writes nothing", async () => {
  const world = await aPlayedWorld();
  const only = ["--yes", "--only", "webhook,rbac"];
  const { report, writes } = await upgrade(world, only);
  expect([report.exit.code, partsOf(report.details)]).toEqual([
    0,
    [
      ["rbac-expand", "changed"],
      ["webhook", "changed"],
    ],
  ]);
  const kinds = writes.map((write) => write.split(" ")[1]);
  expect([...new Set(kinds)]).toEqual(["Role", "ValidatingWebhookConfiguration"]);
  expect((await upgrade(world, only)).writes).toEqual([]);
});

test.each([
  ["cluster", "of an earlier release"],
  ["scc", "7.8.2"],
  ["rbac-contract", "7.8.2"],
])(
  "%s alone is refused while what it needs is not done: 3 and not one write",
  async (part, why) => {
    const { objects } = await worldOf(bound);
    const world = await aPlayedWorld({ objects });
    const { report, writes } = await upgrade(world, ["--yes", "--only", part]);
    expect([report.exit.code, writes]).toEqual([3, []]);
    expect(report.exit.reason).toContain(why);
  },
);

test("a plan of some parts is carried out with the words that it was made with", async () => {
  const world = await aPlayedWorld();
  const file = join(folder, "only.json");
  const { report } = await upgrade(world, ["--plan-out", file, "--only=rbac"]);
  expect(report.exit.next).toContain("--only rbac-expand");
  const { parts } = JSON.parse(readFileSync(file, "utf8")) as { parts: { id: string }[] };
  expect(parts.map(({ id }) => id)).toEqual(["rbac-expand"]);
});
