/** Whether an upgrade is frozen, and why: from data alone, log lines are evidence beside (S97, S113; domain facts 10). */
import { clusterFinding } from "../cluster/codes";
import { type Facts, factNamed } from "../facts";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import { isTakenUp } from "../rollout/cluster";
import { defaultStallAfterMs, judgeStatefulSet } from "../rollout/stateful-set";
import { at, text } from "../values";
import { freezeCauses, type FreezeCause, type Frozen, licenseOf } from "./causes";
import { recoveryFinding } from "./codes";
import { type ApiFacts, databasesOfCluster, type RecoveryDatabase } from "./databases";
import { type Apart, outOfLine } from "./line";

/** What is the matter with an EC's upgrade; `says` is for people. */
export interface Freeze {
  /** `moving`: it goes on by itself; `standing`: no upgrade is under way. */
  readonly is: "frozen" | "moving" | "standing";
  readonly says: string;
  /** As the EC tells it. */
  readonly state: string;
  readonly causes: readonly FreezeCause[];
  readonly databases: readonly RecoveryDatabase[];
  /** Resources that ask for less than what runs, to be edited when the EC is Running (S98). */
  readonly apart: readonly Apart[];
  readonly warnings: readonly Finding[];
}

const ends: readonly string[] = ["Error", "Invalid"];
const rolling: readonly string[] = ["Upgrade", "RunningRollingUpdate"];

/** Classifies by versions, modules, license, digests, states and pods; every cause is named. */
export function classifyFreeze(facts: Facts, ec: KubeObject, api?: ApiFacts): Freeze {
  const state = text(at(ec, facts.names.ecFields.state)) ?? "";
  const databases = databasesOfCluster(facts, ec, api);
  const { apart, warnings } = outOfLine(facts, databases, api);
  const verdict = judged({ facts, ec, databases, api }, { state, apart });
  return { ...verdict, state, databases, apart, warnings };
}

interface Seen {
  readonly state: string;
  readonly apart: readonly Apart[];
}

type Verdict = Pick<Freeze, "is" | "says" | "causes">;

function judged(frozen: Frozen, { state, apart }: Seen): Verdict {
  const { facts, ec } = frozen;
  const label = objectLabel(ec);
  if (ends.includes(state) || state === "InvalidUpgrade") {
    const causes = freezeCauses(frozen);
    const found = causes.length > 0 ? causes : [unknown(frozen, state)];
    return {
      is: "frozen",
      says: `the upgrade of ${label} is refused: state ${state}`,
      causes: found,
    };
  }
  if (!rolling.includes(state)) {
    const says = `no upgrade of ${label} is frozen: state ${state === "" ? "not told" : state}`;
    return { is: "standing", says, causes: [] };
  }
  const name = String(ec.metadata.name);
  const set = factNamed(facts, "statefulSets", { name, namespace: facts.namespace });
  if (set === undefined || !isTakenUp(facts, name, {})) return begun(frozen, { state, apart });
  return rolled(frozen, state, set);
}

function unknown({ facts, ec }: Frozen, state: string): FreezeCause {
  const object = objectLabel(ec);
  const finding = ends.includes(state)
    ? clusterFinding("state", { object, cause: `its state is ${state}` })
    : recoveryFinding("causeUnknown", {
        object,
        field: facts.names.ecFields.state.join("."),
        cause: `its state is ${state}, and license, digests, databases and modules show no cause`,
      });
  return { is: "other", finding };
}

/** It has begun, and the pods' template is still the old one. */
function begun(frozen: Frozen, { state, apart }: Seen): Verdict {
  const label = objectLabel(frozen.ec);
  const causes = freezeCauses(frozen);
  if (causes.length > 0 || apart.length > 0) {
    return { is: "frozen", says: `the upgrade of ${label} has begun and stands still`, causes };
  }
  const says = `${label} is in state ${state}, and the data show nothing that keeps it there`;
  return { is: "moving", says, causes };
}

/** The pods roll: what stands against it is a pod, or the license (domain facts 10). */
function rolled(frozen: Frozen, state: string, set: KubeObject): Verdict {
  const { facts, ec } = frozen;
  const label = objectLabel(ec);
  const progress = judgeStatefulSet(facts, set, { stallAfterMs: defaultStallAfterMs });
  if (progress.is !== "stalled") {
    const on = `: ${progress.is === "moving" ? progress.on : progress.says}`;
    return { is: "moving", says: `${label} goes on by itself, state ${state}${on}`, causes: [] };
  }
  const { code, object, because: cause, fix } = progress;
  const pod: FreezeCause = {
    is: "other",
    finding: { code, severity: "error", object, cause, fix, source: "domain facts 11" },
  };
  return {
    is: "frozen",
    says: `the pods of ${label} do not go on`,
    causes: [pod, ...licenseOf(frozen)],
  };
}
