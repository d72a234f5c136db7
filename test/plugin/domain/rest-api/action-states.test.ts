/** The states of an action, as servers spell them: what is in no list is not taken for one that is at work. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { actionState } from "../../../../plugin/domain/rest-api/actions";

test.each([
  ["in_progress", "running"],
  ["IN-PROGRESS", "running"],
  ["In Progress", "running"],
  ["inProgress", "running"],
  ["cancelling", "running"],
  ["Completed", "completed"],
  ["CANCELLED", "failed"],
  ["timedOut", "failed"],
  ["Timed Out", "failed"],
  ["superseded", "unknown"],
  [undefined, "unknown"],
])("%s: %s", (status, is) => {
  expect(actionState(status, names)).toBe(is);
});
