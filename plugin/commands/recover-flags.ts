/** What `recover` is told. */
import type { RecoverOptions } from "../run/recovery/deps";
import type { ApiFlags } from "./api-options";

/** Flags of `recover`, judged. */
export interface RecoverFlags extends Pick<
  RecoverOptions,
  "apply" | "engineVersion" | "dropDigests" | "stallAfterMs"
> {
  /** Name of the EC; absent: the only one of the namespace. */
  readonly ec?: string;
  /** Files with archives. */
  readonly modules: readonly string[];
  readonly api: ApiFlags;
  /** --timeout was typed: it then limits each wait. */
  readonly limited: boolean;
}
