import type { UpgradeFlags } from "../../../plugin/commands/specs/upgrade";
import { wordsOf } from "../../../plugin/commands/upgrade";

const plain: UpgradeFlags = {
  takeFields: [],
  allowObjects: [],
  participants: [],
  auto: false,
  stallAfterMs: 600_000,
  probe: true,
  skip: [],
  limited: false,
};

test.each<[string, Partial<UpgradeFlags>, readonly string[]]>([
  ["nothing given", {}, []],
  [
    "a release",
    { release: "./release", sha256: "00", target: "8.0.2-2" },
    ["--release", "./release", "--sha256", "00", "--target", "8.0.2-2"],
  ],
  [
    "a presigned release",
    { release: "https://user:s3cr3t@host/{tag}.tar.gz?sig=s3cr3t" },
    ["--release", "https://host/{tag}.tar.gz?…"],
  ],
  [
    "a chart",
    { chart: { chart: "./chart", releaseName: "operator", version: "8.0.2-2", values: "v.yaml" } },
    [
      ...["--chart", "./chart", "--release-name", "operator"],
      ...["--version", "8.0.2-2", "--values", "v.yaml"],
    ],
  ],
  [
    "a private registry",
    { registry: "mirror/x", pullSecret: "pull" },
    ["--image-registry", "mirror/x", "--pull-secret", "pull"],
  ],
  [
    "clusters and databases",
    { clusterTarget: "8.0.2-17", engineVersion: "8.0", participants: ["west", "east/engine"] },
    [
      ...["--cluster-target", "8.0.2-17", "--engine-version", "8.0"],
      ...["--participant", "west", "--participant", "east/engine"],
    ],
  ],
  [
    "decisions",
    {
      takeFields: ["a", "b"],
      allowObjects: ["Deployment/x"],
      skip: [{ code: "A", object: "b" }, { code: "C" }],
      auto: true,
      probe: false,
    },
    [
      "--take-fields",
      "a",
      "--take-fields",
      "b",
      "--allow-object",
      "Deployment/x",
      "--skip",
      "A=b",
      "--skip",
      "C",
      "--auto",
      "--no-probe",
    ],
  ],
])("%s is said again in words", (_, flags, words) => {
  expect(wordsOf({ ...plain, ...flags })).toEqual(words);
});
