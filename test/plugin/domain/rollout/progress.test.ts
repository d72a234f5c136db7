/** When two stalls are one, and how a stall is told. */
import {
  isSameStall,
  stallFinding,
  type Stalled,
} from "../../../../plugin/domain/rollout/progress";

const stalled: Stalled = {
  is: "stalled",
  code: "POD-IMAGE",
  object: "Pod/engine/ec-2",
  because: "its image is not there",
  fix: "push it",
};

test.each([
  ["the same", stalled, true],
  ["the same, told in other words", { ...stalled, because: "it is still not there" }, true],
  ["of another object", { ...stalled, object: "Pod/engine/ec-1" }, false],
  ["of another cause", { ...stalled, code: "POD-CRASH" }, false],
  ["none", undefined, false],
])("a stall seen before: %s", (_name, before, same) => {
  expect(isSameStall(before, stalled)).toBe(same);
});

test.each([
  ["its code's", [{ code: "POD-IMAGE", source: "S70" }], "S70"],
  ["the chapter's, for a code of another list", [], "domain facts 11"],
])("a stall as a finding, with the source: %s", (_name, codes, source) => {
  expect(stallFinding(stalled, codes)).toEqual({
    code: "POD-IMAGE",
    severity: "error",
    object: "Pod/engine/ec-2",
    cause: "its image is not there",
    fix: "push it",
    source,
  });
});
