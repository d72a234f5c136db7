/** `upgrade-webhook --with rbac,scc`: what goes on after the swap, as one run with one document. */
import type { Release } from "../domain/release/contents";
import { inTurn } from "../run/in-turn";
import type { Report } from "../run/report";
import type { CommandContext, Follower, UpgradeWebhookFlags } from "./context";
import { prepareReapplyRbac } from "./reapply-rbac";
import { recorderOf, within } from "./run-ports";
import { prepareUnbindScc } from "./unbind-scc";

/** What the parts take from the flags of the swap, and the release that it opened. */
export interface FollowerFlags extends Pick<UpgradeWebhookFlags, "takeOver" | "probe"> {
  readonly opened?: Release | undefined;
}

type Run = (context: CommandContext) => Promise<Report>;

/** Reads what the parts need, so that wrong input ends the run before the swap; they follow it. */
export async function prepareFollowers(
  context: CommandContext,
  flags: FollowerFlags,
  wanted: readonly Follower[],
): Promise<(swap: Run) => Promise<Report>> {
  const parts = await Promise.all(
    wanted.map(async (part) => ({ part, run: await prepared[part](context, flags) })),
  );
  return async (swap) => {
    const recorder = await recorderOf(context, "UpgradeWebhook");
    const own = within(context, recorder);
    return await inTurn(
      await swap(own),
      parts.map(({ part, run }) => ({ title: part.toUpperCase(), run: () => run(own) })),
      recorder,
    );
  };
}

const prepared: Readonly<
  Record<Follower, (context: CommandContext, flags: FollowerFlags) => Promise<Run>>
> = {
  rbac: (context, { opened, takeOver, probe }) =>
    prepareReapplyRbac(
      context,
      { mode: "expand", dropLocal: [], prune: false, takeFields: [], takeOver, probe },
      opened === undefined ? {} : { opened },
    ),
  scc: (context) => prepareUnbindScc(context, {}),
};
