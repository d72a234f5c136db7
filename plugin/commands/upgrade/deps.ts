/** What an upgrade is given by its command: the types; command.ts has the values. */
import type { Finding } from "../../domain/base/findings";
import type { Skip } from "../../domain/base/skip";
import type { Journal } from "../../kernel/journal";
import type { AskingPorts } from "../../kernel/world";
import type { PlanInputs } from "./describe-plan";
import type { UpgradeObserver } from "./observe";
import type { UpgradePlan } from "./plan-document";

/** The world around an upgrade. */
export interface UpgradeDeps {
  /** Their recorder has the findings of the checks. */
  readonly ports: AskingPorts;
  /** The record of the next part that writes. */
  readonly nextJournal: () => Journal;
  /** Watches the webhook meanwhile; absent: nothing is probed. */
  readonly observer?: UpgradeObserver | undefined;
  readonly planInputs: PlanInputs;
  /** Shows the plan before the question. */
  readonly show: (plan: UpgradePlan) => void;
  /** What the checks find once a person has answered, who may have taken an hour; absent: nobody is asked. */
  readonly judgeAgain?: (() => Promise<readonly Finding[]>) | undefined;
  /** Saves the plan, in the place of carrying it out, and says how it is carried out later. */
  readonly save?: ((plan: UpgradePlan) => Promise<string>) | undefined;
}

/** How it is run; times in milliseconds. */
export interface UpgradeOptions {
  readonly dryRun: "none" | "client" | "server";
  /** What is not wanted is waited for, also before the plan is carried out. */
  readonly wait: boolean;
  /** For what has to pass before a part's first write. */
  readonly limitMs: number;
  /** A plan from a file: it is carried out only if it still holds. */
  readonly saved?: UpgradePlan | undefined;
  /** Findings that are accepted; each has to be one of the checks' or of a part's. */
  readonly skip: readonly Skip[];
}
