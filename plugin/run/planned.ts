/** What a run says of a write that it plans. */
export { plannedWrite, type PlannedWrite, type Planning } from "../domain/planned-write";
