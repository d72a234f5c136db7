/** A write that is planned, told whole: what it is, on what state, how bad, how it is taken back. */
import { type KubeObject, readPreconditions, type Ref } from "./objects";
import { error, type Explained, type Finding } from "../base/findings";
import type { Json } from "../base/values";

const source = "exit code 5";

/** The codes by what they are about. */
export const planFindings = {
  stale: error("PLAN-STALE", source, {
    cause: "the cluster, an object or the release is not what the saved plan was made for",
    fix: "look at what has changed, then create a new plan with --plan-out",
  }),
  exceeded: error("PLAN-EXCEEDED", source, {
    cause:
      "someone changed the cluster since the plan was shown or confirmed, so that other or more writes would be needed",
    fix: "look at who changed it (kubectl get --show-managed-fields -o yaml), then run again to see a new plan",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** Where a run of a whole upgrade is known to stop: what only people can do comes before this part. */
export interface Pause {
  /** What would stand against the part by then. */
  readonly because: string;
  /** What a person types, or does, before the same upgrade is run again. */
  readonly type: string;
}

/** One thing that a write does to an object; a write that does several is several acts. */
export interface WriteAction {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** `delete`, `take x out of its users`. */
  readonly does: string;
}

/** A finding for each act that was not among the confirmed ones. */
export function findUnconfirmed(
  confirmed: readonly WriteAction[],
  now: readonly WriteAction[],
): readonly Finding[] {
  const actionKey = ({ object, does }: WriteAction): string => JSON.stringify([object, does]);
  const known = new Set(confirmed.map(actionKey));
  return now
    .filter((act) => !known.has(actionKey(act)))
    .map(({ object, does }) => ({
      ...planFindings.exceeded,
      object,
      cause: `someone changed the cluster, so that one would also have to ${does}, which was not confirmed`,
    }));
}

/** One thing that a write changes: the value at `path` becomes `to`; null takes it away. */
export interface ChangedField {
  readonly path: string;
  readonly to: unknown;
  /** The image that another one takes the place of. */
  readonly from?: unknown;
}

/** A write before it is sent: the permission that it takes, its risk, and its way back. */
export interface PlannedWrite {
  /** The verb that RBAC knows it by. */
  readonly verb: "create" | "patch" | "update" | "delete";
  readonly target: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  /** The state that it was planned on; absent when the object did not exist. */
  readonly read?: { readonly uid?: string; readonly resourceVersion?: string };
  /** What it changes; absent: the whole object, which is then created, deleted or left to helm. */
  readonly changes?: readonly ChangedField[];
  readonly risk: string;
  /** Nobody is worse off for it, whatever becomes of it: a plan names no risk without -v. */
  readonly isHarmless?: true | undefined;
  readonly reverse: string;
  /** The kubectl command that does the same; absent where none does. */
  readonly command?: string;
  /** The object as it is and as it would be stored, secrets as fingerprints; told where it is asked for. */
  readonly states?: {
    readonly live?: Json;
    readonly merged?: Json;
    /** `merged` is what the request says: the API server was not asked what it would store. */
    readonly unasked?: true;
  };
}

/** A write as its planner knows it, of which makePlannedWrite makes what reports carry. */
export interface WriteToPlan extends Omit<PlannedWrite, "target" | "read"> {
  readonly ref: Ref;
  /** The object as it was read; absent when it is to be created. */
  readonly before?: KubeObject | undefined;
}

/** The write as reports carry it, bound to the state that it was planned on. */
export function makePlannedWrite({ ref, before, ...rest }: WriteToPlan): PlannedWrite {
  const { resource, name, namespace } = ref;
  return {
    ...rest,
    target: {
      group: resource.group,
      version: resource.version,
      resource: resource.plural,
      kind: resource.kind,
      name,
      ...(namespace !== undefined && { namespace }),
    },
    ...(before !== undefined && { read: readPreconditions(before) }),
  };
}

export type StepAction =
  "apply" | "patch" | "delete" | "call" | "chart" | "ask" | "probe" | "wait" | "read";
export type Result =
  "created" | "changed" | "unchanged" | "deleted" | "done" | "skipped" | "failed" | "planned";

/** What a step says of itself before it is taken. */
export interface StepInfo {
  readonly id: string;
  readonly action: StepAction;
  readonly object: string;
  readonly why: string;
  /** The numbers of the specification behind it: `S27, S28`. */
  readonly source?: string;
  /** Of a write that is only planned. */
  readonly write?: PlannedWrite;
}
