import type { ControlPlane } from "./control-plane";
import { database, type Scene } from "./scene";
import type { Answer, Edit, StreamOrders, Twin } from "./edit-stream-process";
import { pathOf } from "./api";
import { connectionOf, startProcess } from "./second-process";
import { until } from "./until";
import type { User } from "./api-server";

/** Whose edits the stream sends: nobody else's token has been seen by the API server's caches. */
export const streamer: User = { name: "streamer", groups: ["system:masters"] };

export interface EditStream {
  /** Ends it, and gives every answer in the order of the edits. */
  stop(): Promise<readonly Answer[]>;
  /** Resolves when an answer to such an edit, sent from now on, is like this. */
  seen(twin: Twin, fits: (answer: Answer) => boolean): Promise<void>;
}

/** Starts a second process that sends 20 valid and 20 invalid dry-run edits a second, or others. */
export async function startEditStream(
  controlPlane: ControlPlane,
  scene: Pick<Scene, "namespace" | "databases">,
  { everyMs = 50 }: { readonly everyMs?: number } = {},
): Promise<EditStream> {
  const orders = { ...ordersOf(controlPlane, scene), everyMs };
  const { told: answers, say, stop } = startProcess<Answer>("edit-stream-process.ts");
  say(orders);
  const seen: EditStream["seen"] = async (twin, fits) => {
    const from = Date.now();
    const fitting = (answer: Answer): boolean =>
      answer.twin === twin && answer.from >= from && fits(answer);
    await until(`${twin} edits to be answered so`, () => answers.some(fitting) || undefined, {
      everyMs: 10,
    });
  };
  await Promise.all([seen("valid", () => true), seen("invalid", () => true)]);
  return {
    seen,
    stop: async () => {
      await stop();
      return answers.sort((a, b) => a.from - b.from);
    },
  };
}

function ordersOf(
  controlPlane: ControlPlane,
  scene: Pick<Scene, "namespace" | "databases">,
): Omit<StreamOrders, "everyMs"> {
  return {
    ...connectionOf(controlPlane, streamer.name),
    edits: { valid: editsTo("8.0", scene), invalid: editsTo("9.9", scene) },
  };
}

/** A new database and a stored one in turns. */
function editsTo(
  engineVersion: string,
  { namespace, databases }: Pick<Scene, "namespace" | "databases">,
): readonly Edit[] {
  const fresh = database({ namespace, name: "streamed", engineVersion });
  const stored = database({ namespace, name: databases[0]?.name ?? "" });
  return [
    {
      method: "POST",
      path: `${pathOf(fresh, "collection")}?dryRun=All`,
      contentType: "application/json",
      body: JSON.stringify(fresh),
    },
    {
      method: "PATCH",
      path: `${pathOf(stored)}?dryRun=All`,
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ spec: { engineVersion } }),
    },
  ];
}

/** An invalid edit that went through. */
export function isBypass({ twin, status }: Answer): boolean {
  return twin === "invalid" && status >= 200 && status < 300;
}

/** A valid edit that did not. */
export function isOutage({ twin, status }: Answer): boolean {
  return twin === "valid" && (status < 200 || status >= 300);
}

/** Seconds of wrong answers to one twin, each stretch from its first wrong to the next right one. */
export function secondsOf(
  answers: readonly Answer[],
  isWrong: (answer: Answer) => boolean,
): number {
  let sum = 0;
  let since: number | undefined;
  for (const answer of answers) {
    if (isWrong(answer)) {
      since ??= answer.from;
    } else if (since !== undefined) {
      sum += answer.from - since;
      since = undefined;
    }
  }
  const last = answers.at(-1);
  return (since === undefined || last === undefined ? sum : sum + last.to - since) / 1000;
}

/** The answers to one twin, of edits that were sent within the time. */
export function between(
  answers: readonly Answer[],
  twin: Twin,
  { from = 0, to = Infinity }: { readonly from?: number; readonly to?: number } = {},
): readonly Answer[] {
  return answers.filter(
    (answer) => answer.twin === twin && answer.from >= from && answer.from <= to,
  );
}
