/** Reads, judges and plans: what is written for whom, and what stands against it. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { findingsOf } from "../../domain/scc/findings";
import { planUnbind, runsUnder, type Unbinding } from "../../domain/scc/plan";
import { isFree, type JudgedAccount } from "../../domain/scc/refusals";
import { requirePermissions } from "../ledger";
import { BlockedError } from "../recorder";
import type { UnbindDeps, UnbindOptions } from "./deps";
import { writePermissions } from "./permissions";
import { respectOwners } from "./owners";
import { type Found, readSituation } from "./read";

/** A plan that nothing stands against. */
export interface Decided {
  readonly plan: Unbinding;
  readonly accounts: readonly JudgedAccount[];
  /** Accounts of other ECs, which something stands against. */
  readonly blocked: readonly JudgedAccount[];
  readonly findings: readonly Finding[];
  /** The constraint was there when it was read. */
  readonly exists: boolean;
}

/** Reads the cluster and plans anew; stops with 3, 4 or 5 where something stands against it. */
export async function decide(deps: UnbindDeps, options: UnbindOptions): Promise<Decided> {
  const read = await readSituation(deps, options);
  const found = options.assumeUpgraded === true ? onceUpgraded(read) : read;
  const decided = judged(found);
  await requirePermissions(deps, await writePermissions(deps, options, decided));
  return decided;
}

/** What the upgrade itself does away with stands against nothing that is planned for after it. */
function onceUpgraded({ situation, accounts, notes }: Found): Found {
  const passing = new Set(["SCC-RELEASE-OLD", "SCC-EC-NOT-RUNNING", "SCC-POD-RUNNING"]);
  const pods = situation.pods.filter((pod) => !runsUnder(pod, situation.name));
  return {
    situation: { ...situation, pods },
    accounts: accounts.map((account) => ({
      ...account,
      findings: account.findings.filter(({ code }) => !passing.has(code)),
    })),
    notes,
  };
}

function judged({ situation, accounts, notes }: Found): Decided {
  const all = planUnbind(situation, accounts);
  const blocked = accounts.filter((account) => !isFree(account));
  const settled = all.changes.length === 0 && all.remove === undefined;
  if (!settled && blocked.length === accounts.length) {
    throw new BlockedError(
      exitCodes.blocked,
      blocked.flatMap(({ findings }) => findings),
    );
  }
  const free = settled ? accounts : accounts.filter(isFree);
  const { plan, findings } = respectOwners(settled ? all : planUnbind(situation, free));
  const judgements = settled ? [] : accounts.flatMap((account) => account.findings);
  return {
    plan,
    accounts: free,
    blocked: settled ? [] : blocked,
    exists: situation.constraint !== undefined,
    findings: [...notes, ...judgements, ...findings, ...findingsOf(plan, situation.name)],
  };
}
