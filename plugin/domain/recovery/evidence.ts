/** What stands beside the data: the operator's log and Warning events (S97; domain facts 10). */
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import { at, own, parseJson, text } from "../values";

/** One line of evidence, oldest of its kind first. */
export interface Evidence {
  readonly from: "log" | "event";
  /** As it was told; undefined where it was not. */
  readonly at: string | undefined;
  readonly object: string | undefined;
  readonly says: string;
}

/** So many of each kind are shown: the newest tell the cause. */
const most = 5;
const longest = 500;

/** The newest errors of the log about an EC and its databases; each text once. */
export function logEvidence(log: string, about: readonly KubeObject[]): readonly Evidence[] {
  const names = new Set(about.map(({ metadata }) => keyOf(metadata.namespace, metadata.name)));
  const found = log.split("\n").flatMap((line) => {
    // a line that is no JSON, or was cut, says nothing
    const parsed = parseJson(line);
    if (parsed === undefined || own(parsed, "level") !== "error") return [];
    const namespace = text(own(parsed, "Namespace"));
    const name = text(own(parsed, "Name"));
    if (!names.has(keyOf(namespace, name))) return [];
    const words = [own(parsed, "msg"), own(parsed, "error")].flatMap((word) => text(word) ?? []);
    const says = words.join(": ").slice(0, longest);
    return [
      { from: "log", at: text(own(parsed, "ts")), object: `${namespace}/${name}`, says } as const,
    ];
  });
  return newest(found);
}

function keyOf(namespace: unknown, name: unknown): string {
  return JSON.stringify([namespace, name]);
}

/** The newest Warning events about an EC, its pods and its databases; they last about an hour. */
export function eventEvidence(
  { objects }: Facts,
  ec: KubeObject,
  about: readonly KubeObject[],
): readonly Evidence[] {
  const labels = new Set([ec, ...about].map(objectLabel));
  const isPart = (event: KubeObject): boolean =>
    own(own(event, "involvedObject"), "namespace") === ec.metadata.namespace &&
    ["Pod", "StatefulSet"].includes(String(at(event, ["involvedObject", "kind"]))) &&
    isOf(String(at(event, ["involvedObject", "name"])), String(ec.metadata.name));
  const found = objects.events
    .filter((event) => own(event, "type") === "Warning")
    .filter((event) => labels.has(involved(event)) || isPart(event))
    .map((event) => {
      const words = [own(event, "reason"), own(event, "message")];
      return {
        from: "event",
        at: text(own(event, "lastTimestamp")) ?? text(own(event, "eventTime")),
        object: involved(event),
        says: words
          .flatMap((word) => text(word) ?? [])
          .join(": ")
          .slice(0, longest),
      } as const;
    })
    .toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
  return newest(found);
}

/** What tells no time comes first. */
function timeOf({ at: time }: Pick<Evidence, "at">): string {
  return time ?? "";
}

function involved(event: KubeObject): string {
  const parts = ["kind", "namespace", "name"].map((key) => at(event, ["involvedObject", key]));
  return parts.flatMap((part) => text(part) ?? []).join("/");
}

/** The StatefulSet has the EC's name, its pods that name and a number (S72). */
function isOf(name: string, ec: string): boolean {
  return name === ec || (name.startsWith(`${ec}-`) && /^\d+$/.test(name.slice(ec.length + 1)));
}

/** The last of each text, the last few of all. */
function newest(all: readonly Evidence[]): readonly Evidence[] {
  const last = new Map<string, Evidence>();
  for (const one of all) {
    const key = JSON.stringify([one.object, one.says]);
    last.delete(key);
    last.set(key, one);
  }
  return [...last.values()].slice(-most);
}
