/** What the operator's log and the events show beside a cause: never the ground of a verdict (S97). */
import type { Facts } from "../facts/facts";
import type { Event } from "../kube/models";
import { type KubeObject, objectLabel } from "../kube/objects";
import { getOwn, parseJson, asString } from "../base/values";

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
  const names = new Set(about.map(({ metadata }) => objectKey(metadata.namespace, metadata.name)));
  const found = log.split("\n").flatMap((line) => {
    // a line that is no JSON, or was cut, says nothing
    const parsed = parseJson(line);
    if (parsed === undefined || getOwn(parsed, "level") !== "error") return [];
    const namespace = asString(getOwn(parsed, "Namespace"));
    const name = asString(getOwn(parsed, "Name"));
    if (!names.has(objectKey(namespace, name))) return [];
    const words = [getOwn(parsed, "msg"), getOwn(parsed, "error")].flatMap(
      (word) => asString(word) ?? [],
    );
    const says = words.join(": ").slice(0, longest);
    return [
      {
        from: "log",
        at: asString(getOwn(parsed, "ts")),
        object: `${namespace}/${name}`,
        says,
      } as const,
    ];
  });
  return newest(found);
}

function objectKey(namespace: unknown, name: unknown): string {
  return JSON.stringify([namespace, name]);
}

/** The newest Warning events about an EC, its pods and its databases; they last about an hour. */
export function eventEvidence(
  { objects }: Facts,
  ec: KubeObject,
  about: readonly KubeObject[],
): readonly Evidence[] {
  const labels = new Set([ec, ...about].map(objectLabel));
  const isPart = ({ involvedObject: of }: Event): boolean =>
    of?.namespace === ec.metadata.namespace &&
    ["Pod", "StatefulSet"].includes(String(of?.kind)) &&
    belongsTo(String(of?.name), String(ec.metadata.name));
  const found = objects.events
    .filter((event) => event.type === "Warning")
    .filter((event) => labels.has(renderInvolved(event)) || isPart(event))
    .map((event) => {
      const words = [event.reason, event.message];
      return {
        from: "event",
        at: asString(event.lastTimestamp) ?? asString(event.eventTime),
        object: renderInvolved(event),
        says: words
          .flatMap((word) => asString(word) ?? [])
          .join(": ")
          .slice(0, longest),
      } as const;
    })
    .toSorted((one, other) => readTime(one).localeCompare(readTime(other)));
  return newest(found);
}

/** What tells no time comes first. */
function readTime({ at: time }: Pick<Evidence, "at">): string {
  return time ?? "";
}

function renderInvolved({ involvedObject: of }: Event): string {
  return [of?.kind, of?.namespace, of?.name].filter(Boolean).join("/");
}

/** The StatefulSet has the EC's name, its pods that name and a number (S72). */
function belongsTo(name: string, ec: string): boolean {
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
