/** Edits, ECs and options for the tests of the rules. */
import { projectCluster } from "../../../../plugin/domain/rules/clusters";
import { defaultNames, type Names } from "../../../../plugin/domain/names/names";
import { listJudgedPaths } from "../../../../plugin/domain/rules/fields";
import { judgeEdit } from "../../../../plugin/domain/rules/order";
import { renderCause } from "../../../../plugin/domain/rules/wording";
import type {
  ClusterFacts,
  ClusterLookup,
  Edit,
  Lookups,
  RuleOptions,
  Verdict,
} from "../../../../plugin/domain/rules/types";
import type { Json } from "../../../../plugin/domain/base/values";
import { keepFields, readFields } from "../../../../webhook/review/json";

export const names = defaultNames;

export const options: RuleOptions = {
  reading: "target",
  allowLatest: false,
  names,
  rules: { version: "deny", policy: "deny", modules: "deny" },
};

export const four = `"7.2", "7.4", "8.0", "8.2", "major"`;

/** What the webhook reads of an object. */
export function judgedPart(object: unknown, of: Names = names): Json | undefined {
  if (object === undefined) return undefined;
  const part = keepFields(Buffer.from(JSON.stringify(object)), readFields(listJudgedPaths(of)));
  return json(part.toString());
}

/** A value as JSON makes it: `__proto__` becomes an own key. */
export function json(text: string): Json {
  return JSON.parse(text) as Json;
}

export interface ClusterParts {
  readonly name?: string;
  readonly policy?: unknown;
  readonly versions?: unknown;
  readonly statusModules?: unknown;
  readonly userModules?: unknown;
}

/** An EC's facts, projected from an object as an API server sends it. */
export function aCluster(parts: ClusterParts = {}): ClusterFacts {
  const facts = projectCluster(
    {
      metadata: { namespace: "engine", name: parts.name ?? "ec", uid: "u", resourceVersion: "1" },
      spec: {
        ...("policy" in parts ? { engineUpgradePolicy: parts.policy } : {}),
        userDefinedModules: parts.userModules ?? [],
      },
      status: {
        bundledDatabaseVersions: parts.versions ?? [],
        modules: parts.statusModules ?? [],
      },
    },
    names,
  );
  if (facts === undefined) throw new Error("the builder made no EC");
  return facts;
}

export function found(parts: ClusterParts = {}): ClusterLookup {
  return { is: "found", cluster: aCluster(parts) };
}

export const missing: ClusterLookup = {
  is: "missing",
  name: "ec",
  lookedIn: ["apps", "engine"],
};
export const noCluster: ClusterLookup = { is: "missing", lookedIn: ["engine"] };
export const ambiguous: ClusterLookup = {
  is: "ambiguous",
  candidates: ["engine/ec1", "engine/ec2"],
};

export function edb(spec: unknown, status?: unknown): Json {
  return { metadata: { name: "db1", namespace: "apps" }, spec, ...(status ? { status } : {}) };
}

export function eaadb(globalConfigurations: unknown): Json {
  return { metadata: { name: "aa1", namespace: "apps" }, spec: { globalConfigurations } };
}

export function created(spec: unknown): Edit {
  return { kind: "edb", before: undefined, after: edb(spec) };
}

export function changed(before: unknown, after: unknown, status?: unknown): Edit {
  return { kind: "edb", before: edb(before, status), after: edb(after, status) };
}

export interface Circumstances {
  readonly cluster?: ClusterLookup;
  readonly oldCluster?: ClusterLookup;
  readonly options?: Partial<RuleOptions>;
}

/**
 * The verdict of all rules over one edit. That over the part which the webhook reads has to be the same: a field that rules/fields.ts does not name is lost there alone.
 */
export function decide(edit: Edit, around: Circumstances = {}): Verdict {
  const lookups: Lookups = {
    after: around.cluster ?? found(),
    ...(around.oldCluster === undefined ? {} : { before: around.oldCluster }),
  };
  const all = { ...options, ...around.options };
  const verdict = judgeEdit(edit, lookups, all);
  const [before, after] = [edit.before, edit.after].map((one) => judgedPart(one, all.names));
  expect(judgeEdit({ ...edit, before, after: after ?? {} }, lookups, all)).toEqual(verdict);
  return verdict;
}

/** The same with each cause in the words of a denial. */
export function judge(edit: Edit, around?: Circumstances) {
  const { causes, ...verdict } = decide(edit, around);
  const told = causes.map((cause) => {
    const { rule, reason, field } = cause;
    return { rule, reason, field, message: renderCause(cause) };
  });
  return { causes: told, ...verdict };
}

export const allowed: Verdict = { causes: [], warnings: [], dependsOnCluster: false };
