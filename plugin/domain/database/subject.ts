/** A database as it is looked at. */
import type { Scene } from "../diagnosis/symptom";
import type { Identity } from "./identity";
import type { LossWish } from "./keeping";
import type { DatabaseTarget } from "./target";

/** What the REST API says of it comes late, and is closer to what runs. */
export interface DatabaseSubject extends Pick<
  DatabaseTarget,
  "kind" | "object" | "lookup" | "offer"
> {
  /** Its record in the REST API; `later` where that is asked after this: nothing is said of what a record tells. */
  readonly identity?: Identity | "later";
  /** What the request for its upgrade says of its data. */
  readonly loss?: LossWish | undefined;
}

/** Databases that were read: the lists that name all of them are what a view of all of them needs. */
export interface DatabaseScene extends Scene {
  readonly databases: readonly DatabaseSubject[];
}
