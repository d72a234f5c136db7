/** What is told of an outage, in words. */
import type { GapReport, GapWindow } from "../../../plugin/kernel/report";
import { renderGap, replicaLines, windowLines } from "../../../plugin/output/gap";

const watched: GapReport = {
  ...{ bypassSeconds: 0, outageSeconds: 0, method: "dry runs" },
  ...{ seconds: 751.4, probes: 3412, windows: [] },
};

const hole: GapWindow = {
  ...{ is: "outage", at: 63_000, ms: 5_000 },
  ...{ leastSeconds: 4.68, mostSeconds: 5.32 },
};

const away = { is: "outage", at: 3_725_000, ms: 3_500, because: "the API server is away" } as const;

test.each<[text: string, gap: Partial<GapReport>, lines?: string[]]>([
  ["0 s in 12 min 31 s, 3,412 probes", {}],
  ["0 s in 0.4 s, 6 probes", { seconds: 0.42, probes: 6 }],
  ["0 s in 2 h 0 min 5 s, 6 probes", { seconds: 7_205, probes: 6 }],
  [
    "[4.6, 5.4] s in 12 min 31 s, 3,412 probes",
    { windows: [hole, { ...hole, is: "bypass" }] },
    ["  [4.6, 5.4] s from 1 min 3 s on"],
  ],
  [
    "[9.3, 10.7] s in 12 min 31 s, 3,412 probes",
    {
      windows: [
        { ...hole, isOlder: true },
        { ...hole, holes: 3, isOpen: true },
      ],
    },
    [
      "  [4.6, 5.4] s from 1 min 3 s on (it may have begun earlier)",
      "  [4.6, 5.4] s in 3 holes from 1 min 3 s on (it was so at the end)",
    ],
  ],
  [
    "0 s in 12 min 27 s of 12 min 31 s, 3,412 probes",
    { unobserved: [away, { ...away, is: "bypass" }] },
    ["  Not observed: 3.5 s from 1 h 2 min 5 s on: the API server is away"],
  ],
  [
    "not observed in 0 s of 12 min 31 s, 3,412 probes",
    { unobserved: [{ ...away, at: 0, ms: 751_400 }] },
    ["  Not observed: 12 min 31 s from 0 s on: the API server is away"],
  ],
  [
    "not observed in 0 s of 12 min 31 s, 3,412 probes",
    { unobserved: [{ ...away, at: 0, ms: 751_398 }] },
    ["  Not observed: 12 min 31 s from 0 s on: the API server is away"],
  ],
])("%s", (text, more, lines = []) => {
  const gap = { ...watched, ...more };
  expect([renderGap(gap, "outage"), windowLines(gap, "outage")]).toEqual([text, lines]);
});

test("of a swap alone the seconds", () => {
  const gap = { bypassSeconds: 0, outageSeconds: 0.4, method: "dry runs" };
  expect([renderGap(gap, "bypass"), renderGap(gap, "outage")]).toEqual(["0s", "0.4s"]);
  const unobserved = [away];
  expect(renderGap({ ...gap, unobserved }, "outage")).toBe("0.4s, 3.5 s not observed");
  expect(renderGap({ ...gap, unobserved }, "bypass")).toBe("0s");
});

test("what stands behind the Service", () => {
  const note = "which cannot be seen";
  expect(replicaLines(undefined)).toEqual([]);
  expect(replicaLines({ note })).toEqual([note]);
  expect(replicaLines({ ready: 1, note })).toEqual([`1 replica ready; ${note}`]);
  const asked = [
    { pod: "a", is: "answers" },
    { pod: "b", is: "fails", because: "connection refused" },
  ] as const;
  expect(replicaLines({ ready: 2, note, asked })).toEqual([
    `2 replicas ready; ${note}`,
    "  a answers",
    "  b fails: connection refused",
  ]);
});
