/** How far something is that takes time: judged from facts, never from the clock alone. */

/** The verdict on a roll-out; texts are for people, lower case, no full stop. */
export type Progress =
  | { readonly is: "done"; readonly says: string }
  /** Nothing stands against it; `step` changes whenever something moved. */
  | { readonly is: "moving"; readonly on: string; readonly step: string }
  /** It will not come by waiting: `code` is a finding's. */
  | {
      readonly is: "stalled";
      readonly code: string;
      readonly object: string;
      readonly because: string;
      readonly fix: string;
    };
