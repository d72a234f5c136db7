/** A write that is planned, told whole: what it is, on what state, how bad, how it is taken back. */
import { type KubeObject, preconditionsOf, type Ref } from "./objects";

/** One thing that a write changes: the value at `path` becomes `to`; null takes it away. */
export interface PlannedChange {
  readonly path: string;
  readonly to: unknown;
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
  readonly changes?: readonly PlannedChange[];
  readonly risk: string;
  readonly reverse: string;
  /** The kubectl command that does the same, as far as one does. */
  readonly command: string;
}

/** What the planner knows of a write. */
export interface Planning extends Omit<PlannedWrite, "target" | "read"> {
  readonly ref: Ref;
  /** The object as it was read; absent when it is to be created. */
  readonly before?: KubeObject | undefined;
}

/** The write as reports carry it, bound to the state that it was planned on. */
export function plannedWrite({ ref, before, ...rest }: Planning): PlannedWrite {
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
    ...(before !== undefined && { read: preconditionsOf(before) }),
  };
}
