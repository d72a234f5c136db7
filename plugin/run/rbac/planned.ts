/** What a dry run says of the writes that it plans: how bad each is, its way back, its kubectl. */
import { type KubeObject, type Ref, refTo } from "../../domain/objects";
import { differences } from "../../domain/operator/differences";
import { kindsIn } from "../../domain/rbac/kinds";
import type { Write } from "../../domain/rbac/plan";
import { compareRules, type Grant, grantLines, rulesOf } from "../../domain/rbac/rules";
import { roleRefOf, subjectLabel, subjectsBeyond, subjectsOf } from "../../domain/rbac/subjects";
import { type PlannedChange, plannedWrite, type PlannedWrite } from "../planned";
import type { PutBack } from "./backups";
import type { RbacDeps, RbacOptions } from "./deps";

/** How a role or a binding is addressed. */
export function refOf(object: KubeObject): Ref {
  const { role, binding } = kindsIn(object.metadata.namespace);
  return refTo(object.kind === role.kind ? role : binding, object);
}

/** A role or binding that is applied. */
export function plannedApply(
  deps: RbacDeps,
  { mode }: RbacOptions,
  { object, live, mixed }: Write,
): PlannedWrite {
  const { command } = deps;
  const ref = refOf(object);
  const file = fileOf(object, deps);
  const words =
    live !== undefined && (mixed === true || (file === undefined && object["rules"] !== undefined))
      ? patchWords(object, ref)
      : file === undefined
        ? createWords(object)
        : reconcileWords(file, ref, mode);
  return plannedWrite({
    verb: live === undefined ? "create" : "patch",
    ref,
    before: live,
    changes: changesOf(object, live),
    risk: riskOf(object, live),
    reverse: live === undefined ? command(deleteWords(ref)) : backBy("replace"),
    command: command(["kubectl", ...words]),
  });
}

/** Right by right and account by account: a list as a whole would differ wherever somebody added to it. */
function changesOf(object: KubeObject, live: KubeObject | undefined): readonly PlannedChange[] {
  const { apiVersion, kind, metadata } = object;
  const { gained, lost } = compareRules(rulesOf(live), rulesOf(object));
  const [before, after] = [subjectsOf(live), subjectsOf(object)];
  const named = (field: string, entries: readonly string[], to: string | null) =>
    entries.map((entry) => ({ path: `.${field}[${JSON.stringify(entry)}]`, to }));
  return [
    ...named("rules", gained.map(lineOf), "granted"),
    ...named("rules", lost.map(lineOf), null),
    ...named("subjects", subjectsBeyond(after, before).map(subjectLabel), "bound"),
    ...named("subjects", subjectsBeyond(before, after).map(subjectLabel), null),
    ...differences(live ?? { apiVersion, kind, metadata: {} }, { apiVersion, kind, metadata }).map(
      ({ field, wanted }) => ({ path: field, to: wanted }),
    ),
  ];
}

function lineOf(grant: Grant): string {
  return grantLines([grant]).join();
}

/** A role or binding that is deleted; what is not kept gave nothing of its own. */
export function plannedDelete(
  { command }: RbacDeps,
  object: KubeObject,
  putBack: PutBack | undefined,
): PlannedWrite {
  const ref = refOf(object);
  return plannedWrite({
    verb: "delete",
    ref,
    before: object,
    risk: riskOfDeleting(putBack),
    reverse: putBack === undefined ? "nothing to take back" : backBy(putBack),
    command: command(deleteWords(ref)),
  });
}

function riskOfDeleting(putBack: PutBack | undefined): string {
  if (putBack === "create") return "what only this object gives is gone from then on";
  return "low: another binding gives the same access meanwhile";
}

function backBy(putBack: PutBack): string {
  return `the run saves the object as it was, and prints the kubectl ${putBack} that puts it back`;
}

function riskOf(object: KubeObject, live: KubeObject | undefined): string {
  const { lost } = compareRules(rulesOf(live), rulesOf(object));
  const unbound = subjectsBeyond(subjectsOf(live), subjectsOf(object)).map(subjectLabel);
  if (lost.length > 0) {
    return `${lost.length} rights go: an operator that still uses one is refused from then on`;
  }
  if (unbound.length > 0) return `${unbound.join(", ")} loses the access`;
  return "low: access is added or stays as it is";
}

function deleteWords({ resource, name, namespace }: Ref): readonly string[] {
  return ["kubectl", "delete", resource.kind.toLowerCase(), name, ...within(namespace)];
}

/** kubectl's own way of bringing roles and bindings to what a file says. */
function reconcileWords(
  file: string,
  { namespace }: Ref,
  mode: RbacOptions["mode"],
): readonly string[] {
  const extras = ["--remove-extra-permissions", "--remove-extra-subjects"];
  return [
    "auth",
    "reconcile",
    "-f",
    file,
    ...within(namespace),
    ...(mode === "expand" ? [] : extras),
  ];
}

/** No file of a release holds what a person added: the whole list is given instead. */
function patchWords(object: KubeObject, { resource, name, namespace }: Ref): readonly string[] {
  const key = object["rules"] === undefined ? "subjects" : "rules";
  const patch = JSON.stringify({ [key]: object[key] });
  const words = ["patch", resource.kind.toLowerCase(), name, "--type=merge", "-p", patch];
  return [...words, ...within(namespace)];
}

function createWords(binding: KubeObject): readonly string[] {
  const { name = "", namespace } = binding.metadata;
  const [kind = "", role = ""] = roleRefOf(binding).split("/");
  const subjects = subjectsOf(binding).map((subject) =>
    subject.kind === "ServiceAccount"
      ? `--serviceaccount=${subject.namespace ?? ""}:${subject.name}`
      : `--${subject.kind.toLowerCase()}=${subject.name}`,
  );
  const reference = `--${kind.toLowerCase()}=${role}`;
  return ["create", binding.kind.toLowerCase(), name, reference, ...subjects, ...within(namespace)];
}

/** The file of a release that the object is from; the second binding of a change is from none. */
function fileOf({ kind, metadata }: KubeObject, { names }: RbacDeps): string | undefined {
  const { rbac, release } = names;
  const files: Readonly<Record<string, readonly string[]>> = {
    [`Role/${rbac.consumerRole}`]: release.consumerRole,
    [`RoleBinding/${rbac.consumerBinding}`]: release.consumerBinding,
    [`ClusterRole/${rbac.labelRole}`]: release.labelRole,
    [`ClusterRoleBinding/${rbac.labelBinding}`]: release.labelBinding,
  };
  return files[`${kind}/${metadata.name ?? ""}`]?.[0];
}

function within(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? [] : ["-n", namespace];
}
