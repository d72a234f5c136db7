/** An EC as its operator sees it, and how its state is written (S58, S68–S74). */
import { at, type Json, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act, LogLine } from "./act";
import { warningAct } from "./events";
import { identity, productKinds, type Scene } from "./scene";
import { hashOf, type Target, statusWith, writeStatus } from "./writes";

/** States of an EC that the play enters. */
export const states = {
  running: "Running",
  upgrade: "Upgrade",
  invalid: "InvalidUpgrade",
  rolling: "RunningRollingUpdate",
} as const;

/** An EC, and what its operator knows of it. */
export interface Managed {
  readonly scene: Scene;
  readonly ec: KubeObject;
  /** Release of the operator. */
  readonly operator: string;
  readonly set: KubeObject;
  /** Tag that the StatefulSet is made with. */
  readonly running: string;
  /** Tag that is asked for. */
  readonly wanted: string;
}

/** The state that an EC tells. */
export function stateOf({ names }: Scene, ec: KubeObject): string | undefined {
  return text(at(ec, names.ecFields.state));
}

interface Deed extends Pick<Act, "run"> {
  readonly does: string;
}

/** Something that the operator does about an EC, a moment after its cause. */
export function deed({ times }: Scene, ec: KubeObject, { does, run }: Deed): Act {
  const key = `${identity(ec)} ${ec.metadata.generation ?? 0} ${does}`;
  return { key, afterMs: times.reactMs, run };
}

/** The EC, to be written by its operator. */
export function clusterTarget({ scene, ec }: Managed): Target {
  const manager = scene.names.operator.deployment;
  return { resource: productKinds(scene.names).ec, object: ec, manager };
}

/** What is told with a state. */
interface Told {
  readonly log?: LogLine;
  /** Fields of the status beside it. */
  readonly status?: Json;
}

/** Writes a state, and with it whether the spec is accepted. */
export function become(managed: Managed, state: string, { log, status = {} }: Told = {}): Act {
  const { scene, ec } = managed;
  const { state: statePath, specStatus } = scene.names.ecFields;
  const told = scene.misbehave.lyingStatus === true ? states.running : state;
  const before = { ...ec, status: { ...(ec["status"] as Json | undefined), ...status } };
  const valid = state === states.invalid ? "Invalid" : "Valid";
  const after = statusWith(before, [
    [statePath, told],
    [specStatus, valid],
  ]);
  return deed(scene, ec, {
    does: `state ${state} ${hashOf(status)}`,
    run: async ({ cluster, log: write }) => {
      await writeStatus(cluster, clusterTarget(managed), after);
      if (log !== undefined) write(log);
    },
  });
}

/** A line of the operator's log about an EC. */
export function line({ metadata }: KubeObject, msg: string): LogLine {
  const { name = "", namespace = "" } = metadata;
  return { level: "info", logger: "controllers.cluster", msg, Namespace: namespace, Name: name };
}

/** The known line of an upgrade that does not go on (domain facts 10). */
function errorLine(ec: KubeObject, error: string): LogLine {
  return { ...line(ec, "Upgrade Error"), level: "error", error };
}

/** Says once in the log why the upgrade does not go on. */
export function said({ scene, ec }: Managed, why: string): Act {
  const key = `log ${ec.metadata.uid ?? ""} ${why}`;
  return {
    key,
    afterMs: scene.seen.has(key) ? Number.POSITIVE_INFINITY : scene.times.reactMs,
    run: ({ log }) => {
      scene.seen.set(key, "");
      log(errorLine(ec, why));
      return Promise.resolve();
    },
  };
}

/** InvalidUpgrade, with a Warning event (S70; domain facts 7). */
export function invalid(managed: Managed, why: string): readonly Act[] {
  const { scene, ec } = managed;
  const event = warningAct(scene, { about: ec, reason: states.invalid, message: why });
  const isTold = stateOf(scene, ec) === states.invalid || scene.misbehave.lyingStatus === true;
  return isTold ? [event] : [become(managed, states.invalid, { log: errorLine(ec, why) }), event];
}
