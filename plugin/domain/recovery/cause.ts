/** A cause that keeps an upgrade frozen, and what causes are looked for in. */
import type { Finding } from "../base/findings";
import type { Facts } from "../facts/facts";
import type { KubeObject } from "../kube/objects";
import type { ApiFacts, RecoveryDatabase } from "./databases";
import type { RollStep } from "./roll";

/** One cause; what it is decides what takes it away. */
export type FreezeCause = { readonly finding: Finding } & (
  | { readonly is: "database"; readonly database: RecoveryDatabase }
  | {
      readonly is: "module";
      readonly module: string;
      readonly databases: readonly RecoveryDatabase[];
    }
  | { readonly is: "digest" }
  | RollStep
  | { readonly is: "license" }
  /** Nothing that is done here takes it away. */
  | { readonly is: "other" }
);

/** What the causes are looked for in. */
export interface Frozen {
  readonly facts: Facts;
  readonly ec: KubeObject;
  readonly databases: readonly RecoveryDatabase[];
  readonly api: ApiFacts | undefined;
}
