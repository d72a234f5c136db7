/** A symptom: one row that says what it looks for, what has to be read for it, and which acts it forbids. */
import type { Finding } from "../base/findings";
import { firstRun } from "../base/remedy";
import { omit } from "../base/values";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { FactKey, Facts } from "../facts/facts";
import type { Code } from "../names/codes";
import type { Text } from "../names/text";

/** What a command may be about to do. Every way of doing it is the same act. */
export const acts = [
  "upgrade-operator",
  "upgrade-webhook",
  "upgrade-cluster",
  "upgrade-database",
  "reapply-rbac",
  "unbind-scc",
  "modules",
  "cert",
] as const;

/** One act. */
export type Act = (typeof acts)[number];

/** The acts of a whole upgrade; each of them writes what the release has, whatever was there before. */
const upgradeActs: readonly Act[] = [
  "upgrade-operator",
  "upgrade-webhook",
  "upgrade-cluster",
  "reapply-rbac",
  "unbind-scc",
];

/** True where the remedy of a finding is an act of the upgrade that `check` is asked about. */
export function isFixedByUpgrade({ remedies }: Finding): boolean {
  const { of, words = [] } = firstRun(remedies)?.run ?? {};
  return of === "tool" && words.length === 1 && upgradeActs.some((act) => act === words[0]);
}

/** What a diagnosis is made over. A command that reads more than facts gives more. */
export interface Scene {
  readonly facts: Facts;
}

/** What a symptom tells of one object. What is absent is as its row has it. */
export type Found = Partial<Omit<Finding, "command" | "accepted">> &
  Pick<Finding, "cause"> & {
    /** Waiting alone ends it. */
    readonly passes?: true;
    /** Codes that are not told beside it on the same object. */
    readonly supersedes?: readonly string[];
  };

/** What is so of an object, with what is particular about it. */
export function on(object: KubeObject, cause: string, rest: Partial<Found> = {}): Found {
  return { object: objectLabel(object), cause, ...rest };
}

/** A finding with what no document prints: `toDocument` takes that off. */
export interface Diagnosed extends Finding {
  /** Waiting alone ends it. */
  readonly passes?: true;
  /** Lists that would tell why could not be read. */
  readonly blind?: true;
  /** The code of the row that told it: --skip, --only and --wait may name it instead of the cause. */
  readonly row?: string;
  /** Codes that are not told beside it on the same object. */
  readonly supersedes?: readonly string[];
}

/** The row of a finding, else its own code. */
export function rowOf(finding: Finding): string {
  return (finding as Diagnosed).row ?? finding.code;
}

/** The finding as documents have it. */
export function toDocument(finding: Finding): Finding {
  return omit(finding as Diagnosed, "passes", "blind", "row", "supersedes");
}

/** One row. `S` is what it looks at. */
export interface Symptom<S extends Scene = Scene> extends Code {
  /** What is so when nothing is found. */
  readonly title: Text;
  /** False where there is nothing here that it is about: then its lists need not be read. */
  readonly concerns?: (scene: S) => boolean;
  /** Lists without which nothing may be said: a verdict is unknown, a gate refuses. */
  readonly needs: readonly FactKey[];
  /** Lists that a user who may act need not be able to read: without them a verdict is unknown, a gate warns. */
  readonly may?: readonly FactKey[];
  /** Lists that tell the cause of what is found: without them a verdict is unknown, a gate still refuses. */
  readonly why?: readonly FactKey[];
  /** Acts that are refused while it is found. */
  readonly forbids?: readonly Act[];
  /** Other codes that its causes have. */
  readonly causes?: readonly Code[];
  readonly judge: (scene: S) => readonly Found[];
}
