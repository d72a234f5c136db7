/** What holds of `upgrade` on every cluster: a few here, hundreds in laws-of-many-worlds.test.ts. */
import {
  cutAfter,
  describeWishes,
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
