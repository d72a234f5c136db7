/** R1: the engine version is a supported one, written as a string (S61, S126; C1, C2). */
import type { Names } from "../names";
import { leadingEngineVersion, formatEngineVersion, parseEngineVersion } from "../versions";
import type { Releases } from "./releases";
import { allowsLatest, releasesOf } from "./releases";
import {
  type Case,
  type Cause,
  joined,
  pass,
  type Rule,
  type SubjectShape,
  type SubjectVersion,
  type Verdict,
} from "./types";
import { quote, quoteAll, show, showCluster } from "./wording";

/**
 * R1, on create and change: engineVersion is in the valid set (C1, C2). What holds it has to be an
 * object, and the EC has to be named by a text: both decide where it is looked for and in which set.
 */
export const engineVersionRule: Rule = {
  id: "R1",
  setting: "version",
  source: "S61, S126, C1, C2",
  judge: (facts) => {
    const { shapes, versions } = facts.subject;
    return joined([
      ...shapes.map(judgeShape),
      ...versions.map((each) => judgeVersion(each, facts)),
    ]);
  },
};

function judgeShape({ field, value, wanted, rule }: SubjectShape): Verdict {
  const message = `Invalid value: ${show(value)}: must be ${wanted} [${rule}]`;
  const cause: Cause = { rule, reason: "FieldValueTypeInvalid", field, message };
  return { causes: [cause], warnings: [], dependsOnCluster: false };
}

function judgeVersion(
  { field, after: value }: SubjectVersion,
  { lookups, options }: Case,
): Verdict {
  const { names, allowLatest } = options;
  const allowed = allowsLatest(lookups.after, options);
  const releases = releasesOf(lookups.after, names);
  const channels = [names.majorChannel, ...(allowed ? [names.latestChannel] : [])];
  const isText = typeof value === "string";
  if (isText && (releases.texts.has(value) || channels.includes(value))) return pass;
  const supported = [...releases.texts, ...channels];
  const cause: Cause = isText
    ? {
        rule: "R1",
        reason: "FieldValueNotSupported",
        field,
        message:
          `Unsupported value: ${quote(value)}: supported values: ${quoteAll(supported)}; ` +
          `${adviceFor(value, supported)}${bundledBy(releases, names)} [R1]`,
      }
    : {
        rule: "R1",
        reason: "FieldValueTypeInvalid",
        field,
        message: wrongType(value, supported),
      };
  // No EC can make a valid version of a text that is not one; its policy may let the channel pass.
  const isByPolicy = allowLatest === undefined && value === names.latestChannel;
  const dependsOnCluster = isByPolicy || parseEngineVersion(value) !== undefined;
  return { causes: [cause], warnings: [], dependsOnCluster };
}

function wrongType(value: unknown, supported: readonly string[]): string {
  return `Invalid value: ${show(value)}: must be a string, ${quotingAdvice(value) ?? `one of ${quoteAll(supported)}`} [R1]`;
}

/** YAML turns an unquoted 8.0 into the number 8 (C2). */
function quotingAdvice(value: unknown): string | undefined {
  const written = typeof value === "number" ? String(value) : "";
  if (/^[0-9]+$/.test(written)) {
    return `quote it in YAML: "${written}.0" (an unquoted ${written}.0 arrives as ${written})`;
  }
  return /^[0-9]+\.[0-9]+$/.test(written) ? `quote it in YAML: "${written}"` : undefined;
}

function adviceFor(value: string, supported: readonly string[]): string {
  const meant = value.slice(0, 64).trim().toLowerCase().replace(/^v/, "");
  const leading = leadingEngineVersion(meant);
  const near = leading === undefined ? meant : formatEngineVersion(leading);
  return supported.includes(near) ? `write ${quote(near)}` : "set one of these";
}

function bundledBy({ publisher }: Releases, names: Names): string {
  return publisher === undefined ? "" : ` (the versions of ${showCluster(publisher, names)})`;
}
