/** How the report and the plan speak of each write of a bundle. */
import { type KubeObject, objectLabel, type Ref } from "../../domain/objects";
import { differences } from "../../domain/operator/differences";
import { bundleRef, definitionResource } from "../../domain/operator/kinds";
import { fileEntries } from "../../domain/operator/managers";
import { plannedWrite, type PlannedWrite } from "../planned";
import type { StepInfo } from "../recorder";
import type { Result } from "../report";
import type { BundleOptions, OperatorDeps } from "./deps";
import type { Evaluated } from "./evaluate";

/** A step, where it is written, and what it ends as. */
export interface WriteInfo {
  readonly info: Omit<StepInfo, "write">;
  readonly ref: Ref;
  readonly result: Result;
}

/** The apply of one object. */
export function applyInfo({ kind, object, live, changes, removed, is }: Evaluated): WriteInfo {
  const why = {
    create: "it does not exist yet",
    change: [
      ...(changes.length === 0
        ? []
        : [`${counted(changes, "differs", "differ")} from the release`]),
      ...(removed.length === 0 ? [] : [`${counted(removed, "goes", "go")} with the old one`]),
    ].join(", "),
    same: "it is as the release has it",
    kept: "the stored one is newer",
  }[is];
  return {
    info: { id: kind.step, action: "apply", object: objectLabel(object), why },
    ref: bundleRef(kind, object),
    result: live === undefined ? "created" : "changed",
  };
}

/** The change of ownership that goes before the first apply over a person's own kubectl apply. */
export function adoptInfo({ kind, object }: Evaluated): WriteInfo {
  return {
    info: {
      id: "operator.adopt",
      action: "patch",
      object: objectLabel(object),
      why: "what kubectl applied of the old file becomes this tool's own, no value changes (S18)",
    },
    ref: bundleRef(kind, object),
    result: "changed",
  };
}

/** The steps of an object as a plan has them: with the adoption where one is needed. */
export function plannedSteps(
  step: Evaluated,
  deps: OperatorDeps,
  { fieldManager }: BundleOptions,
): readonly StepInfo[] {
  const { live } = step;
  const adopts = live !== undefined && fileEntries(live, fieldManager).length > 0;
  return [...(adopts ? [adoptInfo(step)] : []), applyInfo(step)].map(({ ref, info }) => {
    const write = plannedWrite({
      verb: live === undefined ? "create" : "patch",
      ref,
      before: live,
      ...(info.action === "apply" && plannedChanges(step)),
      risk: riskOf(step, info.action),
      reverse:
        live === undefined
          ? "delete it: the old operator does not need it"
          : "the run saves the object; the report prints the command that puts it back",
      command: deps.command(applyWords(info.action, fieldManager)),
    });
    return { ...info, write };
  });
}

/** The fields of the write; a new definition is told as a whole, for its schema is long. */
function plannedChanges(step: Evaluated): Pick<PlannedWrite, "changes"> {
  const { kind, object, live, changes, removed } = step;
  if (live === undefined && kind.resource === definitionResource) return {};
  const fields = live === undefined ? differences(emptyOf(object), object) : changes;
  return {
    changes: [
      ...fields.map(({ field, wanted }) => ({ path: field, to: wanted })),
      ...removed.map((field) => ({ path: field, to: null })),
    ],
  };
}

function emptyOf({ apiVersion, kind }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: {} };
}

const risks: Readonly<Record<string, string>> = {
  "operator.crd": "it is shared by all operators of the cluster",
  "operator.deployment":
    "the operator's pod is made anew: the admission webhook in it is away for a while, and the clusters are not managed until their own upgrade (S10)",
};

function riskOf({ kind }: Evaluated, action: string): string {
  return action === "patch"
    ? "none, no value changes"
    : (risks[kind.step] ?? "none, the running operator keeps working");
}

function applyWords(action: string, fieldManager: string): readonly string[] {
  const words = ["kubectl", "apply", "--server-side", `--field-manager=${fieldManager}`];
  return action === "patch" ? [...words, "--dry-run=server", "-f", "-"] : [...words, "-f", "-"];
}

function counted(fields: readonly unknown[], one: string, more: string): string {
  return fields.length === 1 ? `1 field ${one}` : `${fields.length} fields ${more}`;
}
