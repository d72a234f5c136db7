/** `upgrade`, `upgrade-operator` and `upgrade-cluster`. */
import { namespace, ec, ecShort, text } from "../../domain/names/text";
import { isRegistry } from "../../domain/release/images";
import { isSubdomain } from "../../domain/kube/selectors";
import { type FlagReader, flagTable, type OptionsOf, tag } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { type Skip, unnamed } from "../../domain/checks/selection";
import { unusualCode } from "../../domain/operator/findings";
import {
  participantFlag,
  releaseFlags,
  skipFlag,
  stallFlag,
  takeFlag,
  withLimit,
} from "../../cmdutil/common-flags";

const operatorFlags = flagTable({
  ...releaseFlags,
  "image-registry": {
    value: "HOST[/PATH]",
    key: "registry",
    read: readRegistry,
    help: "Registry that operator and clusters pull from instead of the release's",
  },
  "pull-secret": {
    value: "NAME",
    read: readSecret,
    help: "Secret to pull with; those in force are kept",
  },
  "take-fields": {
    value: "FIELDS",
    repeat: true,
    read: (read, name) => read.each(name).flatMap(splitFields),
    help: "Local changes that the release wins over, separated by commas",
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
    file: true,
    help: "Values for the chart, over those in force",
  },
});

/** Options of a chart: all that helm is told. */
export type ChartFlags = NonNullable<UpgradeOperatorFlags["chart"]>;

/** Options of `upgrade-operator`: a release or a chart. */
export type UpgradeOperatorFlags = FlagsOf<typeof upgradeOperator>;

/** Options of `upgrade`. */
export type UpgradeFlags = FlagsOf<typeof upgrade>;

/** `upgrade`. */
export const upgrade = spec({
  path: "upgrade",
  kind: "Upgrade",
  group: groups.upgrade,
  summary:
    "Upgrade operator, webhook, RBAC, clusters and databases in the order that leaves no gap",
  description: `Upgrade everything, in the order that leaves no gap: RBAC widened, operator, admission webhook, clusters, the
old SCC unbound, RBAC narrowed, and with --engine-version the databases.

The prerequisites are judged first; one that is missing ends the run before anything is written. Then every
part is planned, and the whole plan is shown: each write with its reason, permission, risk, way back and kubectl
command. It asks once. A plan that was saved with --plan-out is bound to the cluster, to the release and to the
state of each object, and is refused when one of them has changed. Running the command again resumes: what is
done is up to date, and is not written again.`,
  examples: {
    "Show the whole plan": text`upgrade -n ${namespace} --release ./release --dry-run=client`,
    "Carry it out without a question": text`upgrade -n ${namespace} --release ./release.tar.gz --target 8.0.2-2 --yes`,
    "Save the plan for review": text`upgrade -n ${namespace} --release ./release --plan-out plan.json`,
    "Carry out the reviewed plan": text`upgrade -n ${namespace} --release ./release --plan plan.json`,
    "The databases too": text`upgrade -n ${namespace} --release ./release --engine-version 8.0`,
    "An operator that was installed with its chart": text`upgrade -n ${namespace} --chart ./chart --release-name operator --version 8.0.2-2`,
  },
  flags: {
    ...operatorFlags,
    "cluster-target": {
      ...tag("8.0.2-17"),
      help: "Image tag of the clusters; absent: the one that belongs to the release",
    },
    auto: { help: "Let the clusters follow the operator by themselves" },
    "engine-version": {
      value: "VERSION",
      help: "Version to upgrade all databases to at the end; absent: they stay as they are",
    },
    ...participantFlag,
    ...stallFlag("Time without progress after which a cause in the data counts as a stall"),
    ...skipFlag,
    "probe-file": {
      value: "FILE",
      file: true,
      help: "Two objects to prove the webhook with: the first must pass, the second must be refused",
    },
    "no-probe": { help: "Prove neither webhook nor RBAC; the report says what is unproven" },
    "plan-out": {
      value: "FILE",
      file: true,
      help: "Save the plan there, and write nothing else",
    },
    plan: { value: "FILE", file: true, help: "Carry out this plan if it still holds" },
  },
  cluster: true,
  place: "operator",
  settles: true,
  needsRelease: true,
  judge: (options, read) => {
    read.oneOf("plan", "plan-out");
    if (options.probeFile !== undefined && !options.probe) {
      read.problems.push("--probe-file and --no-probe: give one of the two");
    }
    return withLimit(judgeOperator(options, read), read);
  },
});

/** `upgrade-operator`. */
export const upgradeOperator = spec({
  path: "upgrade-operator",
  kind: "UpgradeOperator",
  group: groups.upgrade,
  summary: "Upgrade the operator by its bundle or its chart, and wait until it is ready",
  description: `Upgrade the operator by the bundle of a release, or by its chart, and wait until it is 1/1 ready, up to date
and available.

A bundle: definitions first, never downgraded, then accounts, roles, bindings, Service and Deployment, each by
server-side apply. What kubectl applied of the old bundle is taken over; what someone changed since is a local
change: all of them are listed with both values before anything is written, and --take-fields decides. What
is changed is saved first. What no operator needs (wildcard permissions, bindings to everybody, other Deployments,
privileged pods) is refused unless --skip OPERATOR-BUNDLE-UNUSUAL=KIND/NAME accepts it. A chart: helm does it, with
the values given so far. An operator that a chart or OLM owns is not upgraded by a bundle. Running the command
again is safe: it continues from the state found.`,
  examples: {
    "Show what would be written": text`upgrade-operator -n ${namespace} --release ./release --dry-run=server`,
    "Upgrade by the bundle of a release archive": text`upgrade-operator -n ${namespace} --release ./release.tar.gz --target 8.0.2-2`,
    "Pull from your own registry":
      "upgrade-operator --release ./release --image-registry registry.example --pull-secret mirror",
    "Upgrade by the chart":
      "upgrade-operator --chart ./chart --release-name operator --version 8.0.2-2",
  },
  flags: { ...operatorFlags, ...skipFlag },
  cluster: true,
  place: "operator",
  settles: true,
  needsRelease: true,
  judge: judgeOperator,
});

const ofBundle = ["sha256", "target", "image-registry", "pull-secret", "take-fields"];

type OperatorTyped = OptionsOf<typeof operatorFlags> & OptionsOf<typeof skipFlag>;

function judgeOperator<O extends OperatorTyped>(options: O, read: FlagReader) {
  const { chart, releaseName, version, values, skip: typedSkip, ...own } = options;
  const isUnusual = ({ code }: Skip): boolean => code === unusualCode;
  const unusual = typedSkip.filter(isUnusual);
  read.problems.push(...unnamed(unusual, [unusualCode]));
  const skip = typedSkip.filter((one) => !isUnusual(one));
  const allowObjects = unusual.flatMap(({ object }) => object ?? []);
  const byChart = read.given("chart");
  read.oneOf("release", "chart");
  if (!byChart && !read.given("release")) {
    read.missing.push("no release: give --release SOURCE, or --chart REF");
  }
  for (const name of byChart ? ofBundle.filter((each) => read.given(each)) : []) {
    read.missing.push(`--${name}: goes with --release`);
  }
  const typed = { chart: chart ?? "", releaseName: releaseName ?? "", version: version ?? "" };
  return {
    ...own,
    skip,
    allowObjects,
    ...(byChart && { chart: judgeChart({ ...typed, values }, read) }),
  };
}

function readRegistry(read: FlagReader, name: string): string | undefined {
  const registry = read.text(name);
  if (registry !== undefined && !isRegistry(registry)) {
    read.problems.push(`--${name}: ${JSON.stringify(registry)} is not HOST[:PORT][/PATH]`);
  }
  return registry;
}

function readSecret(read: FlagReader, name: string): string | undefined {
  const secret = read.text(name);
  if (secret !== undefined && !isSubdomain(secret)) {
    read.problems.push(`--${name}: ${JSON.stringify(secret)} is not the name of a Secret`);
  }
  return secret;
}

/** Helm leaves room in 63 characters for what its templates append. */
const isReleaseName = (name: string): boolean => isSubdomain(name) && name.length <= 53;
/** One version, no range: nothing guesses which one is meant. */
const exactVersion = /^v?\d+\.\d+\.\d+([-+][-+.0-9A-Za-z]+)?$/;

interface Chart {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  /** A file. */
  readonly values?: string | undefined;
}

function judgeChart(typed: Chart, read: FlagReader): Chart {
  const expect = (name: string, is: boolean, what: string): void => {
    if (!is) (read.given(name) ? read.problems : read.missing).push(`--${name}: ${what}`);
  };
  // a word with a dash would be a flag of helm's
  if (typed.chart.startsWith("-")) read.problems.push("--chart: is not a chart");
  const isName = isReleaseName(typed.releaseName);
  expect("release-name", isName, "give the name of the chart's release, as helm list shows it");
  const isVersion = exactVersion.test(typed.version);
  expect("version", isVersion, "give one version of the chart, as 8.0.2-2");
  return typed;
}

/** Fields are separated by commas outside of brackets: a field may name a key of several parts. */
function splitFields(text: string): readonly string[] {
  const parts = text.match(/(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** `upgrade-cluster`. */
export const upgradeCluster = spec({
  path: "upgrade-cluster",
  kind: "UpgradeCluster",
  group: groups.upgrade,
  summary: text`Upgrade a cluster (${ec}) to the operator's release, and follow its pods to the end`,
  description: text`Upgrade a cluster (${ec}) to the release of its operator, and follow the rolling upgrade of its pods to the end.

License, databases, modules, images, operator and state are judged first: what is missing ends the run before
anything is written. Then one patch writes the image tag, or with --auto the automatic upgrade; fields of other
managers are named, not taken. The end is proven by facts: every pod on the new revision, ready and with the
wanted image, state Running. A stalled rollout ends with its cause; --timeout, when it is given, limits
the whole wait. Running the command again is safe: it continues from the state found.`,
  examples: {
    "Show what would be written": text`upgrade-cluster ${ecShort} -n ${namespace} --target 8.0.2-17 --dry-run=server`,
    "Upgrade by the image tag": text`upgrade-cluster ${ecShort} -n ${namespace} --target 8.0.2-17`,
    "With images from your own repository": text`upgrade-cluster ${ecShort} --target 8.0.2-17 --image-repository mirror/engine`,
    "Let the operator bring its own release, now and after each of its upgrades": text`upgrade-cluster ${ecShort} -n ${namespace} --auto`,
  },
  argument: { name: "NAME", help: text`Name of the ${ec}`, kinds: ["ec"] },
  flags: {
    target: {
      ...tag("8.0.2-17"),
      help: "Image tag to upgrade to; with --auto it only has to be what the operator brings",
    },
    auto: { help: "Switch the automatic upgrade on instead of writing a tag" },
    "image-repository": { value: "IMAGE", help: "Repository of the cluster's image" },
    "image-pull-policy": {
      value: "POLICY",
      help: text`Pull policy of the image; IfNotPresent where the ${ec} has none`,
      choices: ["Always", "IfNotPresent", "Never"],
    },
    ...takeFlag("Fields to take from their present manager, separated by commas"),
    ...stallFlag("Time without progress after which a cause in the data counts as a stall"),
    ...skipFlag,
  },
  cluster: true,
  place: "operator",
  settles: true,
  judge: (options, read) => {
    if (options.target === undefined && !options.auto) {
      read.missing.push("--target: give the tag to upgrade to, or --auto");
    }
    return withLimit(options, read);
  },
});
