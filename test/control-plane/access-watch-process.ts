/**
 * The other side of access-watch.ts: a process of its own that asks for accesses in a tight loop, so
 * that neither the plugin nor the test's own work leaves a moment unasked. Reads its orders from
 * standard input as one line of JSON, then one line for each change of what has to be allowed; each
 * refusal is a line on standard output, and so is each change once no earlier question is under way.
 */
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";

export interface WatchOrders {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly user: string;
  readonly groups: readonly string[];
}

/** What has to be allowed from now on; the questions of a lane follow each other, lanes are asked at once. */
export interface Demand {
  readonly name: string;
  readonly lanes: readonly (readonly Question[])[];
}

/** The attributes of an access review. */
export type Question = Readonly<Record<string, string>>;

export type Told =
  | { readonly is: "refused"; readonly demand: string; readonly question: Question }
  | { readonly is: "failed"; readonly because: string }
  /** Every question of the demand was asked once; `reviews` counts all so far. */
  | { readonly is: "round"; readonly demand: string; readonly reviews: number };

const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
let reviews = 0;

function tell(told: Told): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

function asker(orders: WatchOrders): {
  readonly ask: (question: Question) => Promise<boolean>;
  readonly agent: Agent;
} {
  const { url, ca, token, user, groups } = orders;
  const agent = new Agent({ ca, keepAlive: true });
  const ask = (resourceAttributes: Question): Promise<boolean> => {
    const body = JSON.stringify({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user, groups, resourceAttributes },
    });
    return new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      };
      const call = request(new URL(path, url), { method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode === 201) resolve(isAllowed(text));
          else reject(new Error(`status ${String(response.statusCode)}: ${text}`));
        });
      });
      call.on("error", reject);
      call.end(body);
    });
  };
  return { ask, agent };
}

function isAllowed(text: string): boolean {
  const review = JSON.parse(text) as { readonly status?: { readonly allowed?: boolean } };
  return review.status?.allowed === true;
}

/** Asks every lane's questions over and over until another demand is made or none. */
async function watch(
  demand: Demand,
  ask: (question: Question) => Promise<boolean>,
  isCurrent: () => boolean,
): Promise<void> {
  const rounds = demand.lanes.map(() => 0);
  let told = 0;
  await Promise.all(
    demand.lanes.map(async (lane, index) => {
      while (isCurrent()) {
        for (const question of lane) {
          if (!isCurrent()) return;
          const allowed = await ask(question);
          reviews += 1;
          if (!allowed) tell({ is: "refused", demand: demand.name, question });
        }
        rounds[index] = (rounds[index] ?? 0) + 1;
        if (Math.min(...rounds) > told) {
          told = Math.min(...rounds);
          tell({ is: "round", demand: demand.name, reviews });
        }
      }
    }),
  );
}

const lines = createInterface({ input: process.stdin });
let asking: ReturnType<typeof asker> | undefined;
let current: Demand | undefined;
let running: Promise<void> = Promise.resolve();

lines.on("line", (line) => {
  if (asking === undefined) {
    asking = asker(JSON.parse(line) as WatchOrders);
    return;
  }
  const { ask } = asking;
  const demand = JSON.parse(line) as Demand;
  current = demand;
  // what the earlier demand still has under way is judged by that demand
  running = running
    .then(() => watch(demand, ask, () => current === demand))
    .catch((error: unknown) => {
      tell({ is: "failed", because: String(error) });
    });
});
lines.once("close", () => {
  current = undefined;
  // Kept connections would hold the process.
  void running.then(() => asking?.agent.destroy());
});
