/** The upgrade of an EC: refused, frozen, or on its way (S68–S72, S113; domain facts 10, 11). */
import { at, text, withValue } from "../../domain/values";
import type { Act, LogLine } from "./act";
import { templateFor } from "./cluster-set";
import {
  become,
  clusterTarget,
  deed,
  invalid,
  line,
  type Managed,
  said,
  stateOf,
  states,
} from "./cluster-state";
import { hindranceOf, isAutomatic } from "./prerequisites";
import { numberAt, played } from "./scene";
import { isRolled } from "./stateful-set";
import { writeFields } from "./writes";

/** A tag that the EC does not run yet. */
export function upgrade(managed: Managed): readonly Act[] {
  const { scene, ec, wanted, running } = managed;
  const hindrance = hindranceOf(scene, managed);
  if (hindrance?.is === "invalid") return invalid(managed, hindrance.why);
  const state = stateOf(scene, ec) ?? "";
  const told = state === states.upgrade || scene.misbehave.lyingStatus === true;
  if (!told) return entering(managed, state);
  if (hindrance !== undefined) return [said(managed, hindrance.why)];
  const log = line(ec, `rolling the cluster from ${running} to ${wanted}`);
  return [roll(managed, { does: `roll ${wanted}`, log })];
}

/** From these states alone an upgrade begins. */
const beginsFrom: readonly string[] = [states.running, states.invalid, ""];

function entering(managed: Managed, state: string): readonly Act[] {
  const { scene, set } = managed;
  if (beginsFrom.includes(state)) return [tagged(managed) ?? entered(managed)];
  const why =
    `Upgrade Applied but will not start since ${scene.names.ec.short.toUpperCase()} Status.State ` +
    `is '${state}' and not one of: '${states.running}', '${states.invalid}'`;
  const rest = isRolled(set, scene.pods) ? [become(managed, states.running)] : [];
  return [said(managed, why), ...rest];
}

/** Running is stale for a moment. */
function entered(managed: Managed): Act {
  const { scene, ec, wanted } = managed;
  const log = line(ec, `upgrading to ${wanted}`);
  return { ...become(managed, states.upgrade, { log }), afterMs: scene.times.staleRunningMs };
}

/** By itself the operator writes the tag, so that the listing shows what is on its way. */
function tagged(managed: Managed): Act | undefined {
  const { scene, ec, wanted } = managed;
  const path = scene.names.ecFields.versionTag;
  const tag = text(at(ec, path));
  if (!isAutomatic(ec, scene) || tag === undefined || tag === wanted) return undefined;
  return deed(scene, ec, {
    does: `tag ${wanted}`,
    run: ({ cluster }) => writeFields(cluster, clusterTarget(managed), withValue({}, path, wanted)),
  });
}

interface Rolling {
  readonly does: string;
  readonly log: LogLine;
}

/** Changes the template: the StatefulSet's controller does the rest. */
export function roll(managed: Managed, { does, log }: Rolling): Act {
  const { scene, ec, set, wanted } = managed;
  const { names } = scene;
  const template = templateFor(set, ec, { names, tag: wanted });
  const replicas = numberAt(ec, names.ecFields.nodes, numberAt(set, ["spec", "replicas"], 1));
  return deed(scene, ec, {
    does,
    run: async ({ cluster, log: write }) => {
      write(log);
      await writeFields(cluster, setTarget(managed), { spec: { replicas, template } });
    },
  });
}

/** The StatefulSet of an EC, to be written by the operator. */
export function setTarget({ scene, set }: Managed) {
  return { resource: played.statefulSet, object: set, manager: scene.names.operator.deployment };
}
