/** `-o name`: the objects that a run wrote or showed, as kubectl names them. */
import { kinds, rbacKinds, constraintResource } from "../domain/kube/kinds";
import { kinds as productKinds, type Names } from "../domain/names/names";
import { asArray, asString, getOwn, getPath } from "../domain/base/values";
import type { Report, StepReport } from "../kernel/report";
import type { Result, StepAction } from "../domain/kube/planned-write";
import { escape } from "./escape";

const writing: ReadonlySet<StepAction> = new Set<StepAction>(["apply", "patch", "delete"]);
const without: ReadonlySet<Result> = new Set<Result>(["failed", "skipped"]);

/** KIND.GROUP/NAME, each once, one a line; the group of a kind that nobody knows here is left out. */
export function renderNames({ steps = [], details }: Report, names: Names): string {
  const known = [...Object.values(kinds), ...Object.values(rbacKinds), constraintResource];
  const own = productKinds.map((key) => ({ kind: names[key].kind, group: names.group }));
  const groups = new Map([...known, ...own].map(({ kind, group }) => [kind, group]));
  const renderName = (kind: string, name: string, group = groups.get(kind) ?? ""): string =>
    `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
  const renderWritten = ({ object, write }: StepReport): string => {
    const [kind = "", ...path] = object.split("/");
    return renderName(kind, path.at(-1) ?? "", write?.target.group);
  };
  const shown = [details, ...asArray(getOwn(details, "namespaces"))].flatMap((one) =>
    asArray(getPath(one, ["clusters", "items"])),
  );
  const printed = asArray(getOwn(details, "manifests"));
  const lines = [
    ...steps
      .filter((one) => writing.has(one.action) && !without.has(one.result))
      .map(renderWritten),
    ...shown.map((one) => renderName(names.ec.kind, asString(getOwn(one, "name")) ?? "")),
    ...printed.map((one) => {
      const [group, version] = (asString(getOwn(one, "apiVersion")) ?? "").split("/");
      const name = asString(getPath(one, ["metadata", "name"])) ?? "";
      return renderName(
        asString(getOwn(one, "kind")) ?? "",
        name,
        version === undefined ? "" : group,
      );
    }),
  ];
  return [...new Set(lines)].map((line) => `${escape(line)}\n`).join("");
}
