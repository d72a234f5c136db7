/** What symptoms are worth beside what a probe showed. */
import { isContradicted, underProbe } from "../../../../plugin/domain/admission/observed";
import type { FailurePolicy } from "../../../../plugin/domain/admission/consequence";
import type { ProbeOutcome, Seen } from "../../../../plugin/domain/admission/probe-outcome";
import { webhookFindings } from "../../../../plugin/domain/admission/findings";
import type { Scene, Symptom } from "../../../../plugin/domain/diagnosis/symptom";
import { provenAt } from "../../../support/probes";
import { factsOf } from "../engine-cluster/scene";

const failed = (seen: Seen, ...policies: readonly FailurePolicy[]): ProbeOutcome => ({
  ...{ is: "failed", because: "it fails", seen, policies },
});
const proven = provenAt(1_000);
const open: ProbeOutcome = { is: "open", because: "exceeded quota" };
const unasked: ProbeOutcome = { is: "unasked", because: "not probed (--no-probe)" };
const elsewhere: ProbeOutcome = {
  is: "elsewhere",
  hindrance: {
    refuser: { kind: "webhook", name: "gate.vendor.example", fails: true, detail: "no" },
    twin: "accept",
  },
};
const noPods = webhookFindings.noPods.code;
const absent = webhookFindings.entryAbsent.code;
/** Of nothing that an answer shows. */
const other = webhookFindings.leftover.code;

test.each<[string, string, ProbeOutcome | undefined, boolean]>([
  ["no probe", noPods, undefined, false],
  ["a probe that was right", noPods, proven, true],
  ["one that looks as the symptom does", noPods, failed("no-endpoints", "Fail"), false],
  ["one that looks otherwise", noPods, failed("untrusted", "Fail"), true],
  ["one whose text is not known", noPods, failed("unknown", "Fail"), true],
  ["a bad edit that passes, under Fail", noPods, failed("passes", "Fail"), true],
  ["a bad edit that passes, under Ignore", noPods, failed("passes", "Ignore"), false],
  ["the same where one of two is Ignore", noPods, failed("passes", "Fail", "Ignore"), false],
  ["a bad edit that passes, without an entry", absent, failed("passes", "Fail"), false],
  ["a good edit that is refused, under Ignore", noPods, failed("refuses", "Ignore"), true],
  ["an answer of something else", noPods, open, false],
  ["somebody else's refusal", noPods, elsewhere, false],
  ["no edit that was sent", noPods, unasked, false],
  ["a probe that was right, and what is not about answers", other, proven, false],
  [
    "a bad edit that passes under Ignore, and what is not about answers",
    other,
    failed("passes", "Ignore"),
    false,
  ],
])("%s: the symptom is contradicted: %4$s", (_, code, probe, wanted) => {
  expect(isContradicted(code, probe)).toBe(wanted);
});

describe("a row beside a probe", () => {
  type Probed = Scene & { readonly probe?: ProbeOutcome | undefined };
  const row = (found: object): Symptom<Probed> =>
    underProbe<Probed>({
      ...{ code: noPods, severity: "warning", title: "x", cause: "x", fix: "x", source: "S1" },
      ...{ needs: [], forbids: [], judge: () => [{ cause: "no pod", ...found }] },
    });
  const severityOf = (found: object, probe?: ProbeOutcome): string | undefined =>
    row(found).judge({ facts: factsOf({}), probe })[0]?.severity;

  test.each<[string, object, ProbeOutcome | undefined, string | undefined]>([
    ["its own severity without one", {}, undefined, undefined],
    ["a warning where it is contradicted", { severity: "error" }, proven, "warning"],
    ["an error where it explains what was seen", {}, failed("no-endpoints", "Fail"), "error"],
    [
      "a warning where something else was seen",
      { severity: "error" },
      failed("expired", "Fail"),
      "warning",
    ],
    ["its own severity where nothing was seen", { severity: "error" }, open, "error"],
    [
      "what is found says by its own code what it looks like",
      { code: webhookFindings.staleCa.code },
      failed("untrusted", "Fail"),
      "error",
    ],
    [
      "what is not about answers keeps its own",
      { code: other, severity: "warning" },
      failed("passes", "Ignore"),
      "warning",
    ],
  ])("%s", (_, found, probe, wanted) => {
    expect(severityOf(found, probe)).toBe(wanted);
  });
});
