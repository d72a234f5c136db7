/** Which advisories apply to the cluster that can be reached: nothing is written, and no failure ends the command. */
import { type Applying, listApplying } from "../../domain/advisories/applying";
import { listFacts } from "../../domain/advisories/judge";
import type { Sourced } from "../../domain/advisories/row";
import { makeScene } from "../../domain/checks/advisories";
import { describeSituation } from "../../domain/checks/context";
import type { FactKey, Facts } from "../../domain/facts/facts";
import { findPlace } from "../../readers/operator-namespace";
import { readSnapshot } from "../../readers/snapshot";
import type { Marks, MarkedPlace } from "../../cmdutil/advisories-list";
import type { CommandContext } from "../../cmdutil/context";

/** The marks of all rows, or why there are none. */
export async function markRows(rows: readonly Sourced[], context: CommandContext): Promise<Marks> {
  const read = await readHere(rows, context);
  return "unmarked" in read ? read : { here: judgeHere(rows, read.facts), place: read.place };
}

function judgeHere(rows: readonly Sourced[], facts: Facts): readonly Applying[] {
  return listApplying(rows, makeScene(describeSituation(facts, {})));
}

type Read = { readonly facts: Facts; readonly place: MarkedPlace } | { readonly unmarked: string };

/** What the rows need, of the operator's namespace. */
async function readHere(
  rows: readonly Sourced[],
  { connect, clock, names, signal }: CommandContext,
): Promise<Read> {
  try {
    const cluster = await connect();
    const { server, namespace: asked } = cluster;
    const { exists, here, elsewhere } = await findPlace({
      ...{ cluster, names, signal, sign: "operator" },
    });
    const [only, ...more] = elsewhere;
    const namespace = here ? asked : only;
    if (namespace === undefined || (!here && more.length > 0)) {
      const others = more.length === 0 ? "" : `; give one of ${elsewhere.join(", ")} with -n`;
      const lacks = exists ? "has no operator" : "does not exist";
      return { unmarked: `namespace ${asked} ${lacks}${others}` };
    }
    const keys = new Set<FactKey>(["deployments", ...rows.flatMap(listFacts)]);
    const facts = await readSnapshot({ cluster, clock, names, signal }, namespace, [...keys]);
    return { facts, place: { server, namespace } };
  } catch (error) {
    signal.throwIfAborted();
    return { unmarked: error instanceof Error ? error.message : String(error) };
  }
}
