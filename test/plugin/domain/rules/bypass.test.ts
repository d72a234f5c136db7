import { defaultNames } from "../../../../plugin/domain/names";
import { type Bypass, bypassWarning, judgeBypass } from "../../../../plugin/domain/rules/bypass";

const { bypass, bypassUntil } = defaultNames.annotations;
const now = Date.parse("2026-06-01T12:00:00Z");
const later = "2026-06-01T13:00:00Z";

interface Scene {
  readonly annotations?: unknown;
  readonly groups?: readonly string[];
  readonly allowed?: readonly string[];
  readonly mostMs?: number;
}

function judge(scene: Scene): Bypass {
  const { annotations, groups = ["oncall"], allowed = ["oncall"], mostMs = 86_400_000 } = scene;
  const object = { metadata: { annotations } };
  return judgeBypass({ object, groups, allowed, now, mostMs, names: defaultNames });
}

const good = { [bypass]: "restore of orders", [bypassUntil]: later };
const granted = { is: "granted", reason: "restore of orders", until: later };
const noTime = `${bypassUntil} is not a time as 2030-01-31T12:00:00Z`;

test.each<[string, Scene, Bypass | object]>([
  ["no annotations", {}, { is: "none" }],
  ["other annotations", { annotations: { a: "b" } }, { is: "none" }],
  ["an end without a reason", { annotations: { [bypassUntil]: later } }, { is: "none" }],
  ["a reason and an end, by a member", { annotations: good }, granted],
  [
    "an end in another zone",
    { annotations: { ...good, [bypassUntil]: "2026-06-01T14:00:01+02:00" } },
    { ...granted, until: "2026-06-01T14:00:01+02:00" },
  ],
  [
    "a reason that would break the terminal",
    { annotations: { ...good, [bypass]: "\u001b[31mred" } },
    { ...granted, reason: "\\u001b[31mred" },
  ],
  [
    "an empty reason",
    { annotations: { ...good, [bypass]: "  " } },
    { is: "ignored", because: "it gives no reason" },
  ],
  [
    "a reason that is not a text",
    { annotations: { ...good, [bypass]: 7 } },
    { is: "ignored", because: "it gives no reason" },
  ],
  ["no end", { annotations: { [bypass]: "x" } }, { is: "ignored", because: noTime }],
  [
    "an end that is a day",
    { annotations: { ...good, [bypassUntil]: "2027-01-01" } },
    { is: "ignored", because: noTime },
  ],
  [
    "an end that is no date",
    { annotations: { ...good, [bypassUntil]: "2026-99-01T00:00:00Z" } },
    { is: "ignored", because: noTime },
  ],
  [
    "an end that has come",
    { annotations: { ...good, [bypassUntil]: "2026-06-01T12:00:00Z" } },
    { is: "ignored", because: "it ended at 2026-06-01T12:00:00Z" },
  ],
  [
    "an end at the limit",
    { annotations: { ...good, [bypassUntil]: "2026-06-02T12:00:00Z" } },
    { ...granted, until: "2026-06-02T12:00:00Z" },
  ],
  [
    "an end beyond a limit of hours",
    { annotations: { ...good, [bypassUntil]: "2026-06-02T12:00:01Z" } },
    { is: "ignored", because: "it ends more than 24 h from now" },
  ],
  [
    "an end beyond a limit of minutes",
    { annotations: good, mostMs: 30 * 60_000 },
    { is: "ignored", because: "it ends more than 30 min from now" },
  ],
  [
    "a stranger",
    { annotations: good, groups: ["dev"] },
    { is: "ignored", because: "you are in no group that may bypass" },
  ],
  [
    "no group that may",
    { annotations: good, allowed: [] },
    { is: "ignored", because: "you are in no group that may bypass" },
  ],
])("%s", (_name, scene, wanted) => {
  expect(judge(scene)).toEqual(wanted);
});

test.each<[Bypass, string | undefined]>([
  [{ is: "none" }, undefined],
  [
    { is: "granted", reason: "restore", until: later },
    `admission rules are bypassed until ${later}: restore`,
  ],
  [
    { is: "ignored", because: "it gives no reason" },
    "the admission bypass does not count: it gives no reason",
  ],
])("warns of %p", (one, warning) => {
  expect(bypassWarning(one)).toBe(warning);
});
