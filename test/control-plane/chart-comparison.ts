/** What a plan by chart announces, against what then became of each object, field by field. */
import { createPatch, Pointer } from "rfc6902";
import { isObject, omit, sameJson } from "../../plugin/domain/base/values";
import { covers, dropField, valueAt } from "../../plugin/domain/kube/differences";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import type { PlannedWrite } from "../../plugin/domain/kube/planned-write";
import type { Report } from "../../plugin/kernel/report";

/** Objects by the label that reports name them by: `Kind/namespace/name`. */
export type Contents = ReadonlyMap<string, KubeObject>;

/** What a run has done: everything before and after it, and its write requests as `verb name`. */
export interface Effect {
  readonly before: Contents;
  readonly after: Contents;
  readonly writes: readonly string[];
}

/** What a plan says of the objects. */
export interface Announced {
  /** The objects as they will be, without what the API server fills in. */
  readonly created: ReadonlyMap<string, unknown>;
  readonly changed: ReadonlyMap<string, NonNullable<PlannedWrite["changes"]>>;
  readonly deleted: ReadonlySet<string>;
  /** In their order. */
  readonly hooks: readonly string[];
  /** Left as they are, or not looked at. */
  readonly kept: ReadonlySet<string>;
}

/** Where plan and effect differ. */
export interface Unlike {
  readonly object: string;
  /** Absent: the object as a whole. */
  readonly field?: string;
  readonly is:
    | "created, not announced"
    | "deleted, not announced"
    | "changed, not announced"
    | "announced, not created"
    | "created otherwise"
    | "announced, not deleted"
    | "announced, not changed"
    | "changed otherwise"
    | "hook announced, not run"
    | "hook left behind";
}

/** Reads what the steps of a plan announce, which was made with -v. */
export function readAnnounced({ steps = [] }: Pick<Report, "steps">): Announced {
  const planned = steps.filter(({ result }) => result === "planned");
  const applied = planned.filter(({ action }) => action === "apply");
  const isNew = ({ write }: (typeof steps)[number]): boolean => write?.verb === "create";
  return {
    created: new Map(
      applied.filter(isNew).map(({ object, write }) => [object, write?.states?.merged]),
    ),
    changed: new Map(
      applied
        .filter((step) => !isNew(step))
        .map(({ object, write }) => [object, write?.changes ?? []]),
    ),
    deleted: new Set(
      planned.filter(({ action }) => action === "delete").map(({ object }) => object),
    ),
    hooks: planned.filter(({ id }) => id === "operator.hook").map(({ object }) => object),
    kept: new Set(
      steps
        .filter(({ result }) => result === "unchanged" || result === "skipped")
        .map(({ object }) => object),
    ),
  };
}

/** Every difference that was not announced, and everything that was announced and did not happen. */
export function compareUpgrade(announced: Announced, effect: Effect): readonly Unlike[] {
  const { before, after } = effect;
  const { created, changed, deleted, hooks } = announced;
  const labels = [
    ...new Set([...before.keys(), ...after.keys(), ...created.keys(), ...changed.keys()]),
  ];
  return [
    ...labels
      .filter((label) => !hooks.includes(label))
      .flatMap((label) => {
        const [was, is] = [before.get(label), after.get(label)];
        if (was === undefined) return compareCreated(label, announced, is);
        if (is === undefined) {
          return deleted.has(label)
            ? []
            : [{ object: label, is: "deleted, not announced" } as const];
        }
        if (deleted.has(label)) return [{ object: label, is: "announced, not deleted" } as const];
        if (created.has(label)) return [{ object: label, is: "announced, not created" } as const];
        return compareChanged(label, changed.get(label) ?? [], [was, is]);
      }),
    ...compareHooks(announced, effect),
  ];
}

function compareCreated(
  object: string,
  { created, changed }: Announced,
  is: KubeObject | undefined,
): readonly Unlike[] {
  if (is === undefined) {
    return [
      { object, is: created.has(object) ? "announced, not created" : "announced, not changed" },
    ];
  }
  if (!created.has(object) || changed.has(object)) {
    return [{ object, is: "created, not announced" }];
  }
  const [wanted, stored] = [created.get(object), said(is)].map((one) => dropHidden(object, one));
  // what the API server fills in is no part of what was announced
  return createPatch(wanted, stored)
    .filter(({ op, path }) => op !== "add" && !isHidden(Pointer.fromJSON(path).get(wanted)))
    .map(({ path }) => ({ object, field: path, is: "created otherwise" }));
}

function compareChanged(
  object: string,
  changes: NonNullable<PlannedWrite["changes"]>,
  pair: readonly [KubeObject, KubeObject],
): readonly Unlike[] {
  const [was, is] = pair.map(said);
  const announced = changes.flatMap(({ path, to }): readonly Unlike[] => {
    const [had, has] = [valueAt(was, path), valueAt(is, path)];
    if (sameJson(had, has)) return [{ object, field: path, is: "announced, not changed" }];
    // where a field is taken away, the API server may fill in its default
    const isAsTold = to === null || isUntold(to) || covers(has, to, path);
    return isAsTold ? [] : [{ object, field: path, is: "changed otherwise" }];
  });
  const paths = changes.map(({ path }) => path);
  const [left, right] = [was, is].map((one) => dropFields(one, paths));
  const others = createPatch(left, right).map(({ path }): Unlike => ({
    object,
    field: path,
    is: "changed, not announced",
  }));
  return [...announced, ...others];
}

/** Each is made in its turn, and one that goes after its success is gone. */
function compareHooks({ hooks }: Announced, { after, writes }: Effect): readonly Unlike[] {
  const nameOf = (label: string): string => label.split("/").at(-1) ?? "";
  // helm 3 creates it, helm 4 applies it
  const made = writes.flatMap((write) => {
    const [, name] = /^(?:create|patch) (.*)$/.exec(write) ?? [];
    return name !== undefined && hooks.some((label) => nameOf(label) === name) ? [name] : [];
  });
  const policy = "helm.sh/hook-delete-policy";
  return [
    ...hooks.flatMap((object, at): readonly Unlike[] =>
      made[at] === nameOf(object) ? [] : [{ object, is: "hook announced, not run" }],
    ),
    ...hooks.flatMap((object): readonly Unlike[] => {
      const { annotations } = after.get(object)?.metadata ?? {};
      const goes = annotations?.[policy]?.includes("hook-succeeded") ?? false;
      return goes ? [{ object, is: "hook left behind" }] : [];
    }),
  ];
}

/** What no manifest says: the status, and what the API server and its controllers keep. */
const kept = ["managedFields", "resourceVersion", "generation", "creationTimestamp"];

function said(object: KubeObject): unknown {
  const paths = kept.map((key) => `.metadata.${key}`);
  const revision = ".metadata.annotations.deployment.kubernetes.io/revision";
  return [...paths, revision].reduce<unknown>(dropField, omit(object, "status"));
}

/** Without the fields, and without a map that held nothing else: none and an empty one are stored as the same. */
function dropFields(value: unknown, paths: readonly string[]): unknown {
  return paths.reduce<unknown>((rest, path) => {
    if (valueAt(rest, path) === undefined) return rest;
    const left = dropField(rest, path);
    const above = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).reverse();
    return above.reduce<unknown>((all, place) => {
      const [had, has] = [valueAt(rest, place), valueAt(all, place)];
      const isEmptied = isObject(has) && !sameJson(had, has) && Object.keys(has).length === 0;
      return isEmptied ? dropField(all, place) : all;
    }, left);
  }, value);
}

/** A plan says these words where it shows no value. */
function isUntold(to: unknown): boolean {
  return to === "not shown" || to === "made again with each render";
}

/** A plan shows a fingerprint of what nobody may read. */
function isHidden(value: unknown): boolean {
  return typeof value === "string" && value.includes("SHA-256 ");
}

function dropHidden(label: string, object: unknown): unknown {
  return label.startsWith("Secret/") && isObject(object)
    ? omit(object, "data", "stringData")
    : object;
}
