/** `upgrade-operator`, as data. */
import type { ChartFlags } from "../commands/operator-options";
import type { UpgradeOperatorFlags } from "../commands/upgrade-operator";
import type { FlagSpec } from "../commands/standard-flags";
import { isRegistry } from "../domain/image";
import { isSubdomain } from "../domain/kube/names";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { readRelease, releaseFlags } from "./release-flags";
import { readSkips, skipFlag } from "./skip-flag";
import type { FlagReader } from "./values";

/** The flags of the operator's upgrade, for every command that includes it. */
export const operatorFlags: readonly FlagSpec[] = [
  ...releaseFlags,
  {
    name: "image-registry",
    value: "HOST[/PATH]",
    help: "Registry that operator and clusters pull from instead of the release's",
  },
  { name: "pull-secret", value: "NAME", help: "Secret to pull with; those in force are kept" },
  {
    name: "take-fields",
    value: "FIELDS",
    repeat: true,
    help: "Local changes that the release wins over, separated by commas",
  },
  {
    name: "allow-object",
    value: "KIND/NAME",
    repeat: true,
    help: "Object of the bundle to apply although its rights or pods are unusual",
  },
  {
    name: "chart",
    value: "REF",
    file: true,
    help: "Chart, as helm takes it: a folder, an archive, REPO/NAME or oci://",
  },
  { name: "release-name", value: "NAME", help: "The chart's release that is upgraded" },
  { name: "version", value: "VERSION", help: "Version of the chart, exactly" },
  {
    name: "values",
    value: "FILE",
    file: true,
    help: "Values for the chart, over those in force",
  },
];

/** `upgrade-operator`. */
export const upgradeOperator: CommandEntry = {
  path: "upgrade-operator",
  kind: "UpgradeOperator",
  group: groups.upgrade,
  summary: "Upgrade the operator by its bundle or its chart, and wait until it is ready",
  description: `Upgrade the operator by the bundle of a release, or by its chart, and wait until it is 1/1 ready, up to date
and available.

A bundle: definitions first, never lowered, then accounts, roles, bindings, Service and Deployment, each by
server-side apply. What kubectl applied of the old bundle is taken over; what somebody changed since is a local
change: all of them are listed with both values before anything is written, and --take-fields decides. What
is changed is saved first. What no operator needs (wildcard rights, bindings to everybody, other Deployments,
privileged pods) is refused unless --allow-object names it. A chart: helm does it, the values given so far are kept. An operator that a chart or
OLM owns is not upgraded by a bundle. Running the command again is safe: it goes on from the state found.`,
  examples: [
    {
      does: "Show what would be written",
      line: "upgrade-operator -n engine --release ./release --dry-run=server",
    },
    {
      does: "Upgrade by the bundle of a release, and no other",
      line: "upgrade-operator -n engine --release ./release.tar.gz --target 8.0.2-2",
    },
    {
      does: "Pull from a registry of one's own",
      line: "upgrade-operator --release ./release --image-registry registry.example --pull-secret mirror",
    },
    {
      does: "Upgrade by the chart",
      line: "upgrade-operator --chart ./chart --release-name operator --version 8.0.2-2",
    },
  ],
  flags: [...operatorFlags, skipFlag],
  cluster: true,
  place: "operator",
  settles: true,
  needsRelease: true,
  prepare: prepare<UpgradeOperatorFlags>(judgeOperatorFlags, async () => {
    const { runUpgradeOperator } = await import("../commands/upgrade-operator.ts");
    return { run: runUpgradeOperator };
  }),
};

const ofBundle = [
  "sha256",
  "target",
  "image-registry",
  "pull-secret",
  "take-fields",
  "allow-object",
];
const ofChart = ["release-name", "version", "values"];

/** The same flags, judged. */
export function judgeOperatorFlags(read: FlagReader): UpgradeOperatorFlags {
  const release = readRelease(read);
  const byChart = read.given("chart");
  if (byChart && read.given("release")) {
    read.problems.push("--release and --chart: give one of the two");
  }
  if (!byChart && !read.given("release")) {
    read.missing.push("no release: give --release SOURCE, or --chart REF");
  }
  for (const name of (byChart ? ofBundle : ofChart).filter((each) => read.given(each))) {
    read.missing.push(`--${name}: goes with --${byChart ? "release" : "chart"}`);
  }
  return {
    ...release,
    ...judgeImages(read),
    ...(byChart && { chart: judgeChart(read) }),
    takeFields: read.each("take-fields").flatMap(splitFields),
    allowObjects: read.list("allow-object"),
    skip: readSkips(read),
  };
}

function judgeImages(read: FlagReader): Pick<UpgradeOperatorFlags, "registry" | "pullSecret"> {
  const registry = read.text("image-registry");
  const pullSecret = read.text("pull-secret");
  if (registry !== undefined && !isRegistry(registry)) {
    read.problems.push(`--image-registry: ${JSON.stringify(registry)} is not HOST[:PORT][/PATH]`);
  }
  if (pullSecret !== undefined && !isSubdomain(pullSecret)) {
    read.problems.push(`--pull-secret: ${JSON.stringify(pullSecret)} is not the name of a Secret`);
  }
  return {
    ...(registry !== undefined && { registry }),
    ...(pullSecret !== undefined && { pullSecret }),
  };
}

/** Helm leaves room in 63 characters for what its templates append. */
const isReleaseName = (name: string): boolean => isSubdomain(name) && name.length <= 53;
/** One version, no range: nothing guesses which one is meant. */
const exactVersion = /^v?\d+\.\d+\.\d+([-+][-+.0-9A-Za-z]+)?$/;

function judgeChart(read: FlagReader): ChartFlags {
  const chart = read.text("chart") ?? "";
  const name = read.text("release-name") ?? "";
  const version = read.text("version") ?? "";
  const values = read.text("values");
  // a word with a dash would be a flag of helm's
  if (chart.startsWith("-")) read.problems.push("--chart: is not a chart");
  if (!isReleaseName(name)) {
    (read.given("release-name") ? read.problems : read.missing).push(
      "--release-name: give the name of the chart's release, as helm list shows it",
    );
  }
  if (!exactVersion.test(version)) {
    (read.given("version") ? read.problems : read.missing).push(
      "--version: give one version of the chart, as 8.0.2-2",
    );
  }
  return { chart, releaseName: name, version, ...(values !== undefined && { values }) };
}

/** Fields are separated by commas outside of brackets: a field may name a key of several parts. */
function splitFields(text: string): readonly string[] {
  const parts = text.match(/(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
