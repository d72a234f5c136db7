/** The shapes that the admission rules work on: facts in, verdicts out. */
import type { Names } from "../names/names";
import type { Json } from "../base/values";

/** What the rules know of an EC: a projection, never the whole object. */
export interface ClusterFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** spec.engineUpgradePolicy as written; anything but the text "major" is not major (C20). */
  readonly policy: unknown;
  /** status.bundledDatabaseVersions: entries of type engine at 7.2 or above; empty = not published (C1). */
  readonly versions: readonly { readonly version: string; readonly major: boolean }[];
  /** status.modules: bundled ones and the user's own, each under up to two names (C9). */
  readonly installedModules: readonly { readonly name?: string; readonly displayName?: string }[];
  /** spec.userDefinedModules[].name. */
  readonly userModules: readonly string[];
}

/** The outcome of looking for the EC of a database (C16, C17). */
export type ClusterLookup =
  | { readonly is: "found"; readonly cluster: ClusterFacts }
  /** No such EC in the namespaces looked in; `name` absent when the database names none. */
  | { readonly is: "missing"; readonly name?: string; readonly lookedIn: readonly string[] }
  /** No reference and several ECs: their keys, namespace/name. */
  | { readonly is: "ambiguous"; readonly candidates: readonly string[] };

/** How the rules are set (C2, C6). */
export interface RuleOptions {
  readonly reading: "target" | "step";
  /** Whether `latest` passes; undefined: while the EC's upgrade policy is `latest` (C2). */
  readonly allowLatest: boolean | undefined;
  readonly names: Names;
  readonly rules: Readonly<Record<RuleSetting, "deny" | "warn" | "off">>;
}

/** The rules as settings name them: R1, R2, R3 (REF goes with modules). */
export type RuleSetting = "version" | "policy" | "modules";

/** A change to judge. `before` is absent on CREATE. */
export interface Edit {
  readonly kind: "edb" | "eaadb";
  readonly before: Json | undefined;
  readonly after: Json;
  /** What the rules need of it, where that was read already: a review asks for it four times. */
  readonly subject?: Subject;
}

/** A cause as Kubernetes field errors write it. */
export interface Cause {
  readonly rule: "R1" | "R2" | "R3" | "REF";
  readonly reason:
    | "FieldValueTypeInvalid"
    | "FieldValueNotSupported"
    | "FieldValueForbidden"
    | "FieldValueNotFound";
  readonly field: string;
  /** What is wrong, without the field. */
  readonly says: string;
  /** The way out; of a value of another type `says` has it already. */
  readonly fix: string;
}

/** What the rules say of one edit; no causes: allowed. */
export interface Verdict {
  readonly causes: readonly Cause[];
  /** At most 120 characters each, no control characters. */
  readonly warnings: readonly string[];
  /** True when some cause rests on the EC: it is confirmed with a live GET before it is sent (C14). */
  readonly dependsOnCluster: boolean;
  /** Problems that are not among the causes; absent when there are none. */
  readonly more?: number;
  /** The causes of rules under the setting warn; absent when there are none. */
  readonly wouldDeny?: readonly Cause[];
  /** What the EC does not tell, and which therefore passes, each with its warning; absent when there is none. */
  readonly uncertain?: readonly string[];
}

/** The ECs that an edit concerns. `before`: that of the old object, when the reference changes too (C18). */
export interface Lookups {
  readonly after: ClusterLookup;
  readonly before?: ClusterLookup;
}

/** One entry of a module list, in either spelling of the list (C11). */
export interface SubjectModule {
  /** The path of the list, as written in the object. */
  readonly list: string;
  /** The place in it; undefined for a list that is none. */
  readonly index: number | undefined;
  /** Undefined when there is no text to look up: the entry, or the whole list, is malformed. */
  readonly name: string | undefined;
  /** What stands in the place of the name, of any type. */
  readonly value: unknown;
  /** Equal for equal names. */
  readonly key: string;
  readonly version: unknown;
}

/** An engineVersion that is there and is new or changed; undefined before where it was not there. */
export interface SubjectVersion {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A value that is there, is new or changed, and is not what it has to be. */
export interface SubjectShape {
  readonly field: string;
  readonly value: unknown;
  readonly wanted: "an object" | "a string";
  readonly rule: "R1" | "REF";
}

/** What of an edit is judged (C10, C12). */
export interface Subject {
  /** What is not an object or no text although it has to be one: the rules find nothing in it. */
  readonly shapes: readonly SubjectShape[];
  /** By their places: an EAADB may have two (C8). */
  readonly versions: readonly SubjectVersion[];
  /** The modules to judge: all of them, or those whose name was not there before. */
  readonly modules: readonly SubjectModule[];
  /** True when a module that stays got another version number together with the engineVersion (S62). */
  readonly moduleVersionsEdited: boolean;
}

/** What a rule judges. */
export interface Case {
  readonly edit: Edit;
  readonly subject: Subject;
  readonly lookups: Lookups;
  readonly options: RuleOptions;
}

/** A rule of the admission: one entry in the lists of order.ts. */
export interface Rule {
  readonly id: Exclude<Cause["rule"], "REF">;
  readonly setting: RuleSetting;
  /** The items of the specification and the decisions behind it. */
  readonly source: string;
  readonly judge: (facts: Case) => Verdict;
}

/** Nothing is said against it. */
export const pass: Verdict = { causes: [], warnings: [], dependsOnCluster: false };

/** One verdict of several: all that they say, in their order. */
export function joinVerdicts(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts;
  if (first === undefined) return pass;
  if (others.length === 0) return first;
  return {
    causes: verdicts.flatMap(({ causes }) => causes),
    warnings: verdicts.flatMap(({ warnings }) => warnings),
    dependsOnCluster: verdicts.some(({ dependsOnCluster }) => dependsOnCluster),
  };
}
