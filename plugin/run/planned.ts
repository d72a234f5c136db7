/** What a run says of a write that it plans. */
export {
  type PlannedChange,
  plannedWrite,
  type PlannedWrite,
  type Planning,
} from "../domain/planned-write";
