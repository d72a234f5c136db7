/** Seeing that the operator has gone on: the EC is Running, then each resource is acted upon (S68, S98; domain facts 11). */
import { clusterCodes, clusterFindings } from "../../domain/cluster/codes";
import { exitCodes } from "../../domain/errors";
import { objectLabel } from "../../domain/objects";
import { classifyFreeze } from "../../domain/recovery/classify";
import { recoveryFinding } from "../../domain/recovery/codes";
import type { ApiFacts } from "../../domain/recovery/databases";
import type { Apart } from "../../domain/recovery/line";
import { judgeCluster } from "../../domain/rollout/cluster";
import { judgeDatabase } from "../../domain/rollout/database";
import { readFacts } from "../cluster/read";
import { type Limit, type Look as Seen, timeIsUp, waitFor, type Waiting } from "../engine/wait";
import { BlockedError } from "../engine/recorder";
import type { RecoverContext, RecoverOptions } from "./deps";
import { type Look, looked } from "./look";

/** Both limits as a wait takes them; `stalled` is the end where nothing moved for too long. */
export function limitsOf(
  { stallAfterMs, limitMs }: Pick<RecoverOptions, "stallAfterMs" | "limitMs">,
  stalled: Limit["end"],
): Pick<Waiting<unknown>, "total" | "idle"> {
  return {
    total: limitMs === undefined ? undefined : { ms: limitMs, end: timeIsUp },
    idle: { ms: stallAfterMs, end: stalled },
  };
}

const undefinedCode = clusterFindings.moduleUndefined.code;

/** Nothing has moved although the causes are gone. */
export class NotResumedError extends BlockedError {}

/** Of what keeps it frozen, as it is reported here. */
const codes = clusterCodes.map(({ code, source }) => ({
  code,
  source: code === undefinedCode ? source : "S97",
}));

/** Waits until the EC is Running and all its pods are renewed; resources may be behind the REST API. */
export async function resumed(
  context: RecoverContext,
  { ec, api }: Pick<Look, "ec" | "api">,
  stallAfterMs = context.options.stallAfterMs,
): Promise<string> {
  const { deps, options } = context;
  return await waitFor(deps, {
    look: () => lookAt(context, api),
    codes,
    ...limitsOf({ ...options, stallAfterMs }, (on) => {
      const cause = `the causes are gone, and nothing moves: it waits for ${on}`;
      const finding = recoveryFinding("notResumed", { object: objectLabel(ec), cause });
      return new NotResumedError(exitCodes.failed, [finding]);
    }),
  });
}

async function lookAt(
  { deps, options: { namespace, name }, resource }: RecoverContext,
  api: ApiFacts | undefined,
): Promise<Seen<string>> {
  const facts = await readFacts(deps, { namespace, resource }, looked);
  const progress = judgeCluster(facts, name, { sameRelease: true });
  if (progress.is === "done") return { is: "done", value: progress.says };
  const ec = facts.objects.ecs.find(({ metadata }) => metadata.name === name);
  const causes = ec === undefined ? [] : classifyFreeze(facts, ec, api).causes;
  const found = causes.map(({ finding }) => finding);
  // to define a module is left to a person: no wait brings it about (S124; C9)
  const left = found.find(({ code }) => code === undefinedCode);
  if (left !== undefined) {
    const { code, object, cause: because, fix } = left;
    return { is: "stalled", code, object: String(object), because, fix };
  }
  if (progress.is === "moving") return progress;
  if (ec === undefined || found.some(({ code }) => code === progress.code)) return progress;
  // the resources lag behind what the REST API shows: the operator is given its time
  const { because } = progress;
  return { is: "moving", on: `the operator to go on (${because})`, step: because };
}

/** Waits until the operator has acted on the resource, and resource and database agree. */
export async function confirmed(
  { deps, options, resource }: RecoverContext,
  { edb, database }: Pick<Apart, "edb" | "database">,
): Promise<string> {
  const { namespace } = options;
  const { runs } = database;
  const object = objectLabel(edb);
  return await waitFor(deps, {
    look: async () => {
      const facts = await readFacts(deps, { namespace, resource }, ["edbs", "eaadbs"]);
      const now = facts.objects.edbs.find((one) => objectLabel(one) === object);
      const progress = judgeDatabase(
        facts,
        { kind: "edb", object: now ?? edb },
        {
          ...(runs !== undefined && { version: runs }),
          atLeast: true,
          patience: { idleMs: 0, stallAfterMs: options.stallAfterMs },
        },
      );
      if (progress.is === "done") return { is: "done", value: progress.says };
      if (progress.is === "moving") return { ...progress, on: `${object}: ${progress.on}` };
      const { code, because: cause, fix } = progress;
      const finding = { code, severity: "error", object, cause, fix, source: "S98" } as const;
      throw new BlockedError(exitCodes.failed, [finding]);
    },
    ...limitsOf(options, (on) => {
      const finding = recoveryFinding("notResumed", { object, cause: `nothing moves: ${on}` });
      return new NotResumedError(exitCodes.failed, [finding]);
    }),
  });
}
