/** What a person is shown: a refusal, the bypass, and the words of both. */
import { defaultNames } from "../../../../plugin/domain/names/names";
import { type Bypass, bypassWarning, judgeBypass } from "../../../../plugin/domain/rules/bypass";
import { denialStatus, type Refused } from "../../../../plugin/domain/rules/wording";
import type { Cause } from "../../../../plugin/domain/rules/types";
import * as wording from "../../../../plugin/domain/rules/wording";
import { changed, created, decide, found } from "./cases";

const webhookName = "redisenterprise.admission.engine";
const kind = "EngineEnterpriseDatabase";
const group = "app.engine.com";

function refused(parts: Partial<Refused> = {}): Refused {
  const verdict = decide(created({ engineVersion: "9.9" }));
  return { kind, group, name: "db1", verdict, webhookName, ...parts };
}

function causes(count: number): readonly Cause[] {
  return Array.from({ length: count }, (_, index) => ({
    rule: "R3",
    reason: "FieldValueNotFound",
    field: `spec.moduleList[${index}].name`,
    says: `Not found: "m${index}"`,
    fix: "remove it",
  }));
}

test("one cause: the whole story in the message and in the cause", () => {
  const message =
    `Unsupported value: "9.9": supported values: "7.2", "7.4", "8.0", "8.2", "major"; ` +
    `set one of these (refused by webhook ${webhookName}) [R1]`;
  expect(denialStatus(refused())).toEqual({
    code: 422,
    reason: "Invalid",
    message: `${kind}.${group} "db1" is invalid: spec.engineVersion: ${message}`,
    details: {
      group,
      kind,
      name: "db1",
      causes: [{ reason: "FieldValueNotSupported", field: "spec.engineVersion", message }],
    },
  });
});

test("several causes: all in brackets, the webhook named once", () => {
  const after = { engineVersion: "8.2", moduleList: [{ name: "x" }] };
  const cluster = found({ policy: "major" });
  const verdict = decide(changed({ engineVersion: "8.0" }, after), { cluster });
  const { details, message } = denialStatus(refused({ verdict }));
  const errors = details.causes.map((cause) => `${cause.field}: ${cause.message}`);
  expect(message).toBe(`${kind}.${group} "db1" is invalid: [${errors.join(", ")}]`);
  expect(details.causes.map(({ reason }) => reason)).toEqual([
    "FieldValueForbidden",
    "FieldValueNotFound",
  ]);
  expect(message.split(webhookName)).toHaveLength(2);
  expect(errors[0]).toMatch(/\(refused by webhook .*\) \[R2\]$/);
});

test("with generateName there is no name yet", () => {
  const { message, details } = denialStatus(refused({ name: undefined }));
  expect(message).toContain(`${kind}.${group} "" is invalid: `);
  expect(details).not.toHaveProperty("name");
});

test.each<[string, number, number | undefined, number, string]>([
  ["all of 32", 32, undefined, 32, `Not found: "m31"; remove it [R3]`],
  ["31 of 33, and the count of the others", 33, undefined, 32, "2 more"],
  ["31, and what is counted without a cause", 64, 36, 32, "69 more"],
])("it shows %s", (_title, ...[count, more, shown, last]) => {
  const verdict = { causes: causes(count), more, warnings: [], dependsOnCluster: true };
  const { details, message } = denialStatus(refused({ verdict }));
  const text = last.endsWith("more") ? `${last} problems from here on are not shown [R3]` : last;
  expect(details.causes).toHaveLength(shown);
  expect(details.causes.at(-1)?.message).toContain(text);
  expect(message).toContain(text);
});

test("names from the request cannot break the line", () => {
  const evil = `x"\n\u001b[31m`;
  const status = denialStatus(refused({ kind: evil, group: evil, name: evil, webhookName: evil }));
  for (const text of [status.message, status.details.kind, status.details.name]) {
    expect(text).toMatch(/^[\x20-\x7e]+$/);
  }
  expect(status.message).toContain(String.raw`"x\"\n\u001b[31m" is invalid`);
});

test("a verdict without causes is no denial: that is an error of the program", () => {
  const verdict = { causes: [], warnings: [], dependsOnCluster: false };
  expect(() => denialStatus(refused({ verdict }))).toThrow("at least one cause");
});

const { bypass, bypassUntil } = defaultNames.annotations;
const now = Date.parse("2026-06-01T12:00:00Z");
const later = "2026-06-01T13:00:00Z";
const day = 86_400_000;
const good = { [bypass]: "restore of orders", [bypassUntil]: later };
const until = (end: string) => ({ ...good, [bypassUntil]: end });
const granted = { is: "granted", reason: "restore of orders", until: later };
const ignored = (because: string): Bypass => ({ is: "ignored", because });
const noTime = ignored(`${bypassUntil} is not a time such as 2030-01-31T12:00:00Z`);
const zoned = "2026-06-01T14:00:01+02:00";
const limit = "2026-06-02T12:00:00Z";
const over = "2026-06-02T12:00:01Z";
const stranger = ignored("you are in no group that may bypass");
const oncall = { groups: ["oncall"], allowed: ["oncall"], mostMs: day };

test.each<[string, unknown, Bypass | object, Partial<typeof oncall>?]>([
  ["no annotations", undefined, { is: "none" }],
  ["an end without a reason", { [bypassUntil]: later }, { is: "none" }],
  ["a reason and an end, by a member", good, granted],
  ["an end in another zone", until(zoned), { ...granted, until: zoned }],
  [
    "a reason that would break the terminal",
    { ...good, [bypass]: "\u001b[31mred" },
    { ...granted, reason: "\\u001b[31mred" },
  ],
  ["an empty reason", { ...good, [bypass]: "  " }, ignored("it gives no reason")],
  ["a reason that is not a text", { ...good, [bypass]: 7 }, ignored("it gives no reason")],
  ["no end", { [bypass]: "x" }, noTime],
  ["an end that is a day", until("2027-01-01"), noTime],
  ["an end that is no date", until("2026-99-01T00:00:00Z"), noTime],
  [
    "an end that has come",
    until("2026-06-01T12:00:00Z"),
    ignored("it ended at 2026-06-01T12:00:00Z"),
  ],
  ["an end at the limit", until(limit), { ...granted, until: limit }],
  ["an end beyond hours", until(over), ignored("it ends more than 24 h from now")],
  [
    "an end beyond minutes",
    good,
    ignored("it ends more than 30 min from now"),
    { mostMs: day / 48 },
  ],
  ["a stranger", good, stranger, { groups: ["dev"] }],
  ["no group that may", good, stranger, { allowed: [] }],
])("the bypass: %s", (_name, annotations, ...[wanted, more]) => {
  const question = { object: { metadata: { annotations } }, now, names: defaultNames };
  expect(judgeBypass({ ...question, ...oncall, ...more })).toEqual(wanted);
});

test.each<[Bypass, string | undefined]>([
  [{ is: "none" }, undefined],
  [{ is: "granted", reason: "x", until: later }, `admission rules are bypassed until ${later}: x`],
  [ignored("it gives no reason"), "the admission bypass does not count: it gives no reason"],
])("warns of %p", (one, warning) => {
  expect(bypassWarning(one)).toBe(warning);
});

const { plain, quote, quoteAll, quoteName, show, showMiss, showPlaces, renderWarning } = wording;

test.each([
  ["quotes and backslashes", quote(`a"b\\`), String.raw`"a\"b\\"`],
  ["line ends and tabs", quote("a\r\n\tb"), String.raw`"a\r\n\tb"`],
  ["an eight-bit terminal escape", quote("\u009b31m"), String.raw`"\u009b31m"`],
  ["a change of direction", quote("a\u202eb"), String.raw`"a\u202eb"`],
  ["a lone surrogate", quote("\ud800"), String.raw`"\ud800"`],
  ["64 characters stay", quote("a".repeat(64)), `"${"a".repeat(64)}"`],
  ["65 are cut", quote("a".repeat(65)), `"${"a".repeat(61)}..."`],
  ["a legal object name is never cut", quoteName("a".repeat(253)), `"${"a".repeat(253)}"`],
  ["a longer one is", quoteName("a".repeat(254)), `"${"a".repeat(250)}..."`],
  [
    "an escaped text is cut too",
    plain("\u0000".repeat(200)),
    `${String.raw`\u0000`.repeat(41)}\\u00...`,
  ],
  ["a number", show(8), "8"],
  ["undefined", show(undefined), "null"],
  ["an array", show([1, 2]), "[...]"],
  ["an object", show({ secret: "s" }), "{...}"],
  ["a short warning", renderWarning("lowered"), "lowered"],
  [
    "a long one keeps its end",
    renderWarning("x".repeat(200), " [R1]"),
    `${"x".repeat(112)}... [R1]`,
  ],
  ["a warning's control characters", renderWarning("a\nb"), String.raw`a\u000ab`],
  ["one namespace", showPlaces(["a\nb"]), String.raw`namespace "a\nb"`],
  [
    "very many ECs",
    showMiss(
      { is: "ambiguous", candidates: Array.from({ length: 10 }, (_, n) => `a/${n}`) },
      defaultNames,
    ),
    "several ECs found: a/0, a/1, a/2, a/3, a/4, a/5, a/6, a/7, 2 more",
  ],
])("shown: %s", (_title, shown, expected) => {
  expect(shown).toBe(expected);
});

test("of a long list of texts the first are shown, the others counted", () => {
  const texts = Array.from({ length: 34 }, (_, index) => `v${index}`);
  expect(quoteAll(texts.slice(0, 2))).toBe('"v0", "v1"');
  expect(quoteAll(texts)).toMatch(/^"v0", .*"v31", 2 more$/);
});
