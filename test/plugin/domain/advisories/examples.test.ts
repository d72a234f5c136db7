import { testExamples } from "../../../../plugin/domain/advisories/examples";
import type { Examples, Sourced } from "../../../../plugin/domain/advisories/row";

const row: Sourced = {
  code: "SOME-CODE",
  id: "some-code",
  origin: "test",
  source: "notes of a release",
  severity: "warning",
  area: "cluster",
  concerns: "cluster",
  title: "Every node is of one architecture",
  crosses: { operator: { to: "<8.2" } },
  when: "cluster.eligible.exists(n, n.arch == 'arm64')",
  cause: "{cluster.eligible.map(n, n.arch)}",
  examples: { fires: {}, silent: {} },
};

const arm = { cluster: { eligible: [{ arch: "arm64" }] } };
const amd = { cluster: { eligible: [{ arch: "amd64" }] } };

test.each<[name: string, examples: Examples, problems: readonly string[], rest?: Partial<Sourced>]>(
  [
    ["that do as they say", { fires: arm, silent: amd, unknown: { cluster: {} } }, []],
    ["without an unknown one", { fires: arm, silent: amd }, []],
    [
      "that do the contrary",
      { fires: amd, silent: arm, unknown: arm },
      [
        "fires: a finding is expected, and it is silent",
        "silent: no finding is expected, and it fires: arm64: keep its pods off these nodes",
        "unknown: that it cannot be judged is expected, and it fires: arm64: keep its pods off these nodes",
      ],
    ],
    [
      "with too few values",
      { fires: {}, silent: amd },
      ["fires: a finding is expected, and it is not known: cluster is absent"],
    ],
    [
      "of a row with remedies",
      { fires: arm, silent: arm },
      ["silent: no finding is expected, and it fires: arm64: look: oc get nodes"],
      {
        remedies: [{ says: "look", run: ["oc", "get", "nodes"] }],
      },
    ],
  ],
)("examples %s", (_name, examples, problems, rest = { fix: "keep its pods off these nodes" }) => {
  const told = testExamples({ ...row, ...rest, examples });
  expect(told.map(({ path, says }) => `${path.slice(1).join(".")}: ${says}`)).toEqual(problems);
  expect(told.every(({ path, row: id }) => path[0] === "examples" && id === "some-code")).toBe(
    true,
  );
});
