/** What holds of `upgrade` on every cluster: a few here, hundreds in laws-of-many-worlds.test.ts. */
import {
  cutAfter,
  describeWishes,
  obstacles,
  stopsAlone,
  tightPlans,
  undisturbed,
  type Wish,
  wishes,
  worldOf,
} from "../../../support/upgrade-worlds";

const named = (...all: readonly string[]): readonly Wish[] =>
  wishes.filter(({ name }) => all.includes(name));

test.each(
  [
    named("databases follow", "constraint bound"),
    named("no tag", "no admission controller", "no bindings"),
    named("no tag", "registry", "roles with more rules"),
  ].map((chosen) => [describeWishes(chosen), chosen] as const),
)("what is planned is written, and a second run writes nothing: %s", async (_, chosen) => {
  expect(await undisturbed(await worldOf(chosen))).toEqual([]);
});

test.each([3, 9])("killed after %i writes and run again, it ends the same", async (writes) => {
  expect(await cutAfter(await worldOf(named("constraint bound")), writes)).toEqual([]);
});

test("what is planned ahead of a part is what is planned when its turn has come", async () => {
  const world = await worldOf(
    named("databases follow", "constraint bound", "roles with more rules"),
  );
  expect(await tightPlans(world, ["cluster", "rbac-contract", "databases"])).toEqual([]);
});

test.each(obstacles.map((one) => [one.name, one] as const))(
  "%s stands against its own part, and changes no other",
  async (_, obstacle) => {
    expect(await stopsAlone(named("databases follow", "constraint bound"), obstacle)).toEqual([]);
  },
);

test("an EC of Helm whose images would follow the registry hides nothing that is found of the operator", async () => {
  const [held] = obstacles.filter(({ name }) => name === "an EC of Helm");
  expect(held && (await stopsAlone(named("registry"), held))).toEqual([]);
});
