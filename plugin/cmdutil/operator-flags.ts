/** The flags of upgrade-operator, which upgrade takes as well. */
import { isRegistry } from "../domain/release/images";
import { isSubdomain } from "../domain/kube/selectors";
import { chartFlags, readHelmFlags, readKeyed, type TypedFlag } from "./chart-flags";
import { type FlagReader, flagTable, type OptionsOf } from "./flags";
import { findUnnamed } from "../domain/checks/selection";
import type { Skip } from "../domain/base/skip";
import { deletesDataCode, unusualCode } from "../domain/operator/findings";
import { type skipFlag, releaseFlags } from "./common-flags";

export const operatorFlags = flagTable({
  ...releaseFlags,
  "image-registry": {
    value: "HOST[/PATH]",
    key: "registry",
    read: (read, name) => read.parse(name, keepIf(isRegistry), "HOST[:PORT][/PATH]"),
    help: "Registry that operator and clusters pull from instead of the release's",
  },
  "pull-secret": {
    value: "NAME",
    read: (read, name) => read.parse(name, keepIf(isSubdomain), "the name of a Secret"),
    help: "Secret to pull with; those in force are kept",
  },
  "take-fields": {
    value: "FIELDS",
    repeat: true,
    read: (read, name) => read.each(name).flatMap(splitFields),
    help: "Local changes that the release or the chart wins over, separated by commas",
  },
  chart: {
    value: "REF",
    file: true,
    help: "Chart, as helm takes it: a folder, an archive, REPO/NAME or oci://",
  },
  "release-name": {
    value: "NAME",
    goesWith: "chart",
    help: "The chart's release that is upgraded",
  },
  version: { value: "VERSION", goesWith: "chart", help: "Version of the chart, exactly" },
  values: {
    value: "FILE",
    goesWith: "chart",
    repeat: true,
    file: true,
    read: (read, name) => read.eachFilled(name),
    help: "Values for the chart, over those in force; - is stdin; may be repeated, the last one wins",
  },
  "apply-crds": {
    goesWith: "chart",
    help: "Apply the definitions in the chart's crds/ folder first, by the rules of a bundle: helm itself never upgrades them",
  },
  ...chartFlags,
});

const ofBundle = ["sha256", "target", "image-registry", "pull-secret"];

type OperatorTyped = OptionsOf<typeof operatorFlags> & OptionsOf<typeof skipFlag>;

export function judgeOperator<O extends OperatorTyped>(options: O, read: FlagReader) {
  const { chart, releaseName, version, values, applyCrds, skip: typedSkip, ...own } = options;
  // these are found by the plan, and not with the prerequisites
  const ofPlan = [unusualCode, deletesDataCode];
  const isOfPlan = ({ code }: Skip): boolean => ofPlan.includes(code);
  const allowed = typedSkip.filter(isOfPlan);
  read.problems.push(...findUnnamed(allowed, ofPlan));
  const skip = typedSkip.filter((one) => !isOfPlan(one));
  const allowObjects = allowed.flatMap(({ object }) => object ?? []);
  const byChart = read.isGiven("chart");
  read.requireOne("release", "chart");
  if (!byChart && !read.isGiven("release")) {
    read.missing.push("no release: give --release SOURCE, or --chart REF");
  }
  for (const name of byChart ? ofBundle.filter((each) => read.isGiven(each)) : []) {
    read.missing.push(`--${name}: goes with --release`);
  }
  const typed = { chart: chart ?? "", releaseName: releaseName ?? "", version: version ?? "" };
  const given = readHelmFlags(read);
  return {
    ...own,
    skip,
    allowObjects,
    ...(byChart && { chart: judgeChart({ ...typed, values, applyCrds, given }, read) }),
  };
}

function keepIf(fits: (text: string) => boolean): (text: string) => string | undefined {
  return (text) => (fits(text) ? text : undefined);
}

/** Helm leaves room in 63 characters for what its templates append. */
const isReleaseName = (name: string): boolean => isSubdomain(name) && name.length <= 53;
/** One version, no range: nothing guesses which one is meant. */
const exactVersion = /^v?\d+\.\d+\.\d+([-+][-+.0-9A-Za-z]+)?$/;

export interface Chart {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  /** Files, of which a later one wins. */
  readonly values: readonly string[];
  /** The definitions of the chart's crds/ folder are applied before helm runs. */
  readonly applyCrds: boolean;
  /** What helm is told beside them. */
  readonly given: readonly TypedFlag[];
}

function judgeChart(typed: Chart, read: FlagReader): Chart {
  const expect = (name: string, is: boolean, what: string): void => {
    if (!is) (read.isGiven(name) ? read.problems : read.missing).push(`--${name}: ${what}`);
  };
  // a word with a dash would be a flag of helm's
  if (typed.chart.startsWith("-")) read.problems.push("--chart: is not a chart");
  const isName = isReleaseName(typed.releaseName);
  expect("release-name", isName, "give the name of the chart's release, as helm list shows it");
  const isVersion = exactVersion.test(typed.version);
  expect("version", isVersion, "give one version of the chart, for example 8.0.2-2");
  for (const flag of typed.given) {
    if (flag.reads !== "keyed file" || readKeyed(flag) !== undefined) continue;
    read.problems.push(`--${flag.name}: is not KEY=FILE: give each key a flag of its own`);
  }
  return typed;
}

/** Fields are separated by commas outside of brackets: a field may name a key of several parts. */
function splitFields(text: string): readonly string[] {
  const parts = text.match(/(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
