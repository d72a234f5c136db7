/** The advisories that the tool ships: made from plugin/advisories/*.yaml, where each row was checked. */
import shipped from "../../advisories/shipped.json";
import { oncePer } from "../base/values";
import type { AdvisoryFile, Sourced } from "./row";

const file = shipped as unknown as Required<AdvisoryFile>;

/** The day up to which their knowledge has been kept. */
export const shippedDate = file.date;

/** The newest releases whose notes were read for them. */
export const shippedUpTo = file.upTo;

const read = oncePer(({ advisories }: AdvisoryFile): readonly Sourced[] =>
  advisories.map((row) => ({ ...row, origin: "shipped" })),
);

/** Every row, in the order of the ids. */
export function listShipped(): readonly Sourced[] {
  return read(file);
}
