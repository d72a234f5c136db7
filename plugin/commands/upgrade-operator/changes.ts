/** The writes that a bundle comes to, and how its plan and its report tell of them. */
import { clusterFinding } from "../../domain/engine-cluster/findings";
import { findOwnership } from "../../domain/engine-cluster/operator";
import type { Finding } from "../../domain/base/findings";
import type { Facts } from "../../domain/facts/facts";
import type { Names } from "../../domain/names/names";
import { type KubeObject, objectLabel, type Resource } from "../../domain/kube/objects";
import type { ClusterPatch } from "./clusters";
import { changesTo, type Difference, differences } from "../../domain/kube/differences";
import {
  listHeldRights,
  listImages,
  isOperator,
  readOperatorVersion,
  type DesiredObject,
} from "../../domain/operator/wanted";
import { operatorFinding } from "../../domain/operator/findings";
import { kinds } from "../../domain/kube/kinds";
import { leftovers, type Source } from "./local-changes";
import { findConversionService, noConversion } from "../../domain/operator/conversion";
import { adoptFields, fileEntries } from "../../domain/kube/field-managers";
import type { ChangedField } from "../../domain/kube/planned-write";
import { cutWhere, type Json, asArray, getOwn, renderValue } from "../../domain/base/values";
import {
  type Apply,
  type Change,
  listPermissions,
  type Patch,
  type Rewrite,
} from "../../domain/kube/change";
import type { Permission } from "../../domain/kube/permissions";

/** An object with its verdict. */
export interface Evaluated extends DesiredObject {
  readonly live: KubeObject | undefined;
  /** `kept`: the stored one is newer and is left alone. */
  readonly is: "create" | "change" | "same" | "kept";
  /** Fields of others are taken, all of them by consent. */
  readonly force: boolean;
  /** Errors refuse the whole run. */
  readonly findings: readonly Finding[];
  readonly changes: readonly Difference[];
  /** What the API server would store, where it was asked. */
  readonly stored: KubeObject | undefined;
  /** Fields of the old file that go. */
  readonly removed: readonly string[];
  /** This tool's manager. */
  readonly ours: string;
  /** What the object is of. */
  readonly source: Source;
  /** Its conversion leads nowhere, and is taken out; of one that is written before its apply. */
  readonly unconverts?: boolean;
}

/** An object before it is judged. */
export function makeUnjudged(
  { kind, object }: DesiredObject,
  { live, ours, source = "release" }: Pick<Evaluated, "live" | "ours"> & Partial<Evaluated>,
): Evaluated {
  const nothing = { force: false, findings: [], changes: [], stored: undefined, removed: [] };
  return { kind, object, live, ours, source, is: "same", ...nothing };
}

/** False where it is up to date, or kept. */
export function isWritten({ is }: Evaluated): boolean {
  return is === "create" || is === "change";
}

/** Unusual rights that are no new ones. */
export function judgeHeldRights(
  { object, live }: Pick<Evaluated, "object" | "live">,
  names: Names,
): readonly Finding[] {
  return listHeldRights(object, live, names).map((right) =>
    operatorFinding("rightHeld", {
      object: objectLabel(object),
      cause: `${right}, as the one in the cluster does already`,
    }),
  );
}

/** The writes of an object. */
export function listWrites(step: Evaluated): readonly Change[] {
  const before = listRewrites(step).flatMap((rewrite) => rewrite(step) ?? []);
  return isWritten(step) ? [...before, buildApply(step)] : before;
}

/** The changes before the apply of an object, in their order, each for the object as the one before left it. */
export function listRewrites(
  step: Evaluated,
): readonly ((now: Evaluated) => Rewrite | undefined)[] {
  const conversion = step.unconverts === true ? [rewriteConversion] : [];
  return isWritten(step) ? [...conversion, rewriteManagers] : conversion;
}

/** Takes a conversion out that leads to a Service that is gone: no apply can, for the release says nothing of it. */
function rewriteConversion({ kind, live, ours }: Evaluated): Rewrite | undefined {
  if (live === undefined) return undefined;
  const { resourceVersion } = live.metadata;
  return {
    verb: "rewrite",
    id: "operator.conversion",
    resource: kind.resource,
    object: live,
    operations: [
      { op: "replace", path: "/spec/conversion", value: noConversion },
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ],
    why: "its conversion leads to a Service that does not exist, and the release has none",
    risk: "none, no object can be read through it",
    isHarmless: true,
    reverse: savedWhole,
    backHolds,
    does: ["change .spec.conversion"],
    changes: [{ path: ".spec.conversion", to: noConversion }],
    kubectl: [
      ...["kubectl", "patch", "crd", live.metadata.name ?? "", `--field-manager=${ours}`],
      ...["--type=merge", "-p", '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'],
    ],
    holds: (stored) => findConversionService(stored) === undefined,
  };
}

/** Once a cluster follows, the operator of before no longer manages it (S9, S10). */
const backHolds = "while nobody else has changed it, until a pod of a cluster is recreated";

const savedWhole = "the run saves the object; the report prints the command that puts it back";

/**
 * The change of ownership that goes before the first apply over a person's own kubectl apply: the
 * fields of the file become this tool's.
 */
function rewriteManagers({ kind, live, ours }: Evaluated): Rewrite | undefined {
  if (live === undefined || fileEntries(live, ours).length === 0) return undefined;
  const { resourceVersion } = live.metadata;
  return {
    verb: "rewrite",
    id: "operator.adopt",
    resource: kind.resource,
    object: live,
    operations: [
      { op: "replace", path: "/metadata/managedFields", value: adoptFields(live, ours) },
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ],
    why: "takes over kubectl's fields",
    source: "S18",
    risk: "none, no value changes",
    isHarmless: true,
    reverse: savedWhole,
    backHolds,
    does: [],
    kubectl: [], // no command of kubectl changes the owner of a field and nothing else
    holds: (stored) => fileEntries(stored, ours).length === 0,
  };
}

/** The apply of an object. */
export function buildApply(step: Evaluated): Apply {
  const { kind, object, live, ours, source, force, changes, removed, stored: expected } = step;
  const changed = [
    ...changes.map(({ field }) => `change ${field}`),
    ...removed.map((field) => `remove ${field}`),
    ...(force ? ["take fields from their managers"] : []),
  ];
  return {
    verb: "apply",
    id: kind.step,
    resource: kind.resource,
    object,
    live,
    force,
    why: explainWrite(step),
    needs: `to apply the ${source}'s`,
    ...(risks[kind.step] ?? harmless),
    reverse: live === undefined ? "delete it: the old operator does not need it" : savedWhole,
    backHolds,
    does: live === undefined ? ["create it"] : changed,
    ...plannedChanges(step),
    holds: (stored) =>
      changesTo(stored, object, expected).length === 0 &&
      leftovers(stored, object, ours).length === 0,
  };
}

function explainWrite({ is, changes, removed, source }: Evaluated): string {
  const counted = (fields: readonly unknown[], one: string, more: string): readonly string[] =>
    fields.length === 0 ? [] : [`${fields.length} ${fields.length === 1 ? one : more}`];
  return {
    create: "it does not exist yet",
    change: [
      ...counted(changes, `field differs from the ${source}`, `fields differ from the ${source}`),
      ...counted(removed, "field goes with the old one", "fields go with the old one"),
    ].join(", "),
    same: `it is as the ${source} has it`,
    kept: "the stored one is newer",
  }[is];
}

const harmless = { risk: "none, the running operator keeps working", isHarmless: true } as const;

const risks: Readonly<Record<string, { readonly risk: string }>> = {
  "operator.crd": { risk: "it is shared by all operators of the cluster" },
  "operator.deployment": {
    risk: "the operator's pod is recreated: the admission webhook in it is away for a while, and the clusters are not managed until their own upgrade",
  },
};

/** The fields of the write; a new definition is told as a whole, for its schema is long. */
function plannedChanges(step: Evaluated): { readonly changes?: readonly ChangedField[] } {
  const { kind, object, live, changes, removed } = step;
  if (live === undefined && kind.resource === kinds.definition) return {};
  const { apiVersion, kind: name } = object;
  const fields =
    live === undefined ? differences({ apiVersion, kind: name, metadata: {} }, object) : changes;
  return {
    changes: [
      ...fields.map(({ field, live: from, wanted: to }) => ({
        ...{ path: field, to },
        ...(field.endsWith(".image") && from !== undefined && { from }),
      })),
      ...removed.map((field) => ({ path: field, to: null })),
    ],
  };
}

/** How cluster resources are addressed: in the version that every release serves. */
export function clusterResource({ group, version, ec }: Names): Resource {
  return { group, version, plural: ec.plural, kind: ec.kind };
}

/** Has a cluster resource pull from the operator's registry (S17). */
export function imagePatch(
  { object, edits }: ClusterPatch,
  facts: Pick<Facts, "names" | "left">,
): Patch {
  const { names } = facts;
  const fields = edits.map(({ path }) => path.join(".")).join(", ");
  return {
    verb: "patch",
    id: "operator.cluster-images",
    resource: clusterResource(names),
    object,
    edits,
    why: `${fields} follow the operator's registry`,
    source: "S17",
    does: [],
    needs: "to have it pull from the registry",
    risk: "the cluster's pods are recreated from that registry with its next upgrade",
    reverse: "the run saves the old values; the report prints the command that puts them back",
    owned: findOwnership(object, facts),
    dropped: (lost, label) =>
      lost.map(({ path }) =>
        clusterFinding("fieldPruned", { object: label, field: path.join(".") }, names),
      ),
  };
}

/** Of an object, so many changes are told; the rest is a number. */
const most = 12;
const longest = 120;

/** `details` of the document. */
export type BundleDetails = ReturnType<typeof describeDetails>;

/** The `details` of the report: releases, images, definitions, what changed. */
export function describeDetails(
  steps: readonly Evaluated[],
  { source, sha256 }: { readonly source: string; readonly sha256: string },
  names: Names,
) {
  const operator = steps.find(({ object }) => isOperator(object, names));
  const was = listImages(operator?.live);
  return {
    release: { source, sha256 },
    operator: {
      from: readOperatorVersion(operator?.live, names) ?? "none",
      to: readOperatorVersion(operator?.object, names) ?? "unknown",
      images: [...listImages(operator?.object)].map(
        ([name, image]) => `${name}: ${[...new Set([was.get(name) ?? image, image])].join(" -> ")}`,
      ),
    },
    definitions: steps
      .filter(({ kind }) => kind.resource === kinds.definition)
      .map((step) => `${step.object.metadata.name ?? ""}: ${words[step.is]}`),
    created: steps
      .filter(({ is }) => is === "create")
      .map(({ object }) => ({ object: objectLabel(object), content: readContent(object) })),
    changes: steps.filter(({ is }) => is === "change").map(toldChanges),
  };
}

const words: Readonly<Record<Evaluated["is"], string>> = {
  create: "new",
  change: "changed",
  same: "up to date",
  kept: "kept, it is newer",
};

/** All that a new object says; of a definition what it defines, for its schema is long. */
function readContent(object: KubeObject): Json {
  const { metadata, spec, ...rest } = object;
  const { labels, annotations } = metadata;
  const said = Object.entries(rest).filter(([key]) => !["apiVersion", "kind"].includes(key));
  const isDefinition = object.kind === kinds.definition.kind;
  const names = asArray(getOwn(spec, "versions")).map((version) => getOwn(version, "name"));
  return {
    ...{ labels, annotations },
    ...Object.fromEntries(said),
    spec: isDefinition ? { ...(spec as Json), versions: names } : spec,
  };
}

function toldChanges({ object, live, changes, removed }: Evaluated) {
  const becomes = (before: string, after: string): string =>
    `${cutWhere(before, after, longest)} becomes ${cutWhere(after, before, longest)}`;
  const told = [
    ...changes.map(
      ({ field, live, wanted }) => `${field}: ${becomes(renderValue(live), renderValue(wanted))}`,
    ),
    ...removed.map((field) => `${field}: goes, the release has it no more`),
  ];
  const more = told.length > most ? [`and ${told.length - most} more`] : [];
  return { object: objectLabel(live ?? object), fields: [...told.slice(0, most), ...more] };
}

/** What trying the objects takes, and writing them: even what is up to date is tried. */
export function listWritePermissions(
  { fieldManager: ours }: { readonly fieldManager: string },
  { objects }: { readonly objects: readonly KubeObject[] },
  {
    wanted,
    patches,
  }: { readonly wanted: readonly DesiredObject[]; readonly patches: readonly Patch[] },
): readonly Permission[] {
  return [
    ...wanted.flatMap((one) => {
      const { kind, metadata } = one.object;
      const live = objects.find((it) => it.kind === kind && it.metadata.name === metadata.name);
      return listPermissions(buildApply(makeUnjudged(one, { live, ours })));
    }),
    ...patches.flatMap(listPermissions).flatMap((write) => {
      return [{ ...write, verb: "get", why: "to write over what is stored by then" }, write];
    }),
  ];
}
