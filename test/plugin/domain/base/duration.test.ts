import { parseDuration } from "../../../../plugin/domain/base/duration";

test.each<[string, string, number | undefined]>([
  ["seconds", "10s", 10_000],
  ["seconds without a unit", "5", 5_000],
  ["none", "0", 0],
  ["milliseconds", "500ms", 500],
  ["a sum", "1m30s", 90_000],
  ["hours and minutes", "1h30m", 5_400_000],
  ["a fraction", "1.5h", 5_400_000],
  ["small units", "1h2us3µs4ns", 3_600_000 + 0.002 + 0.003 + 0.000004],
  ["a sum without its last unit", "1m30", undefined],
  ["a fraction without unit", "1.5", undefined],
  ["a unit alone", "s", undefined],
  ["more digits than any time has", "1234567890s", undefined],
  ["nothing", "", undefined],
  ["a negative one", "-1s", undefined],
  ["words", "soon", undefined],
])("a duration: %s", (_name, text, ms) => {
  if (ms === undefined) expect(parseDuration(text)).toBeUndefined();
  else expect(parseDuration(text)).toBeCloseTo(ms, 6);
});
