/** The conditions in the status of most kinds. */
import { time } from "../metadata-schema";
import { mapOf, openStruct, string } from "../shapes";

/** Known by their type. */
export const conditions = mapOf(
  ["type"],
  openStruct("Condition", { type: string, lastTransitionTime: time }),
);
