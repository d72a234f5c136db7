/** The commands: the tree, the help and the shell completion are made from this list. */
import * as about from "../commands/specs/about";
import { upgrade, upgradeCluster, upgradeOperator } from "../commands/specs/upgrade";
import { upgradeDatabase } from "../commands/specs/database";
import * as look from "../commands/specs/look";
import * as rules from "../commands/specs/rules";
import * as modules from "../commands/specs/modules";
import { policy } from "../commands/specs/policy";
import { reapplyRbac, unbindScc } from "../commands/specs/rbac";
import { certCreate, certInspect, upgradeWebhook } from "../commands/specs/webhook";
import { command, type CommandEntry, diffCommand, jobCommand, rehearseCommand } from "./entry";

/** Words that only lead to other commands. */
export const parents: Readonly<Record<string, string>> = {
  cert: "Create or inspect the certificate of the admission webhook",
  modules: "Look at the modules of a cluster (EC), and install one",
};

/** Commands that write objects, and whose plan tells every write: the order of the help. */
export const jobs: readonly CommandEntry[] = [
  command(upgrade, async () => {
    const { runUpgrade, upgradeText } = await import("../commands/upgrade.ts");
    return { run: runUpgrade, text: upgradeText };
  }),
  command(upgradeWebhook, async () => {
    const { runUpgradeWebhook } = await import("../commands/upgrade-webhook.ts");
    return { run: runUpgradeWebhook };
  }),
  command(reapplyRbac, async () => {
    const { runReapplyRbac } = await import("../commands/reapply-rbac.ts");
    return { run: runReapplyRbac };
  }),
  command(upgradeOperator, async () => {
    const { runUpgradeOperator, operatorText } = await import("../commands/upgrade-operator.ts");
    return { run: runUpgradeOperator, text: operatorText };
  }),
  jobCommand(upgradeCluster, async () => (await import("../run/cluster/upgrade.ts")).clusterJob),
  command(upgradeDatabase, async () => {
    const { runUpgradeDatabase, databaseText } = await import("../commands/upgrade-database.ts");
    return { run: runUpgradeDatabase, text: databaseText };
  }),
  command(unbindScc, async () => {
    const { runUnbindScc } = await import("../commands/unbind-scc.ts");
    return { run: runUnbindScc };
  }),
  command(certCreate, async () => {
    const { runCertCreate } = await import("../commands/cert.ts");
    return { run: runCertCreate };
  }),
];

const inspect = command(certInspect, async () => {
  const { runCertInspect } = await import("../commands/cert.ts");
  return { run: runCertInspect };
});
const status = command(look.status, async () => {
  const { runStatus, statusText } = await import("../commands/status.ts");
  return { run: runStatus, text: statusText };
});
const check = command(look.check, async () => {
  const { runCheck, checkText } = await import("../commands/check.ts");
  return { run: runCheck, text: checkText };
});
const recover = command(look.recover, async () => {
  const { runRecover, recoverText } = await import("../commands/recover.ts");
  return { run: runRecover, text: recoverText };
});
const modulesList = command(modules.modulesList, async () => {
  const { runModulesList, modulesListText } = await import("../commands/modules.ts");
  return { run: runModulesList, text: modulesListText };
});
const modulesInUse = command(modules.modulesInUse, async () => {
  const { runModulesInUse, modulesInUseText } = await import("../commands/modules.ts");
  return { run: runModulesInUse, text: modulesInUseText };
});
const modulesInstall = command(modules.modulesInstall, async () => {
  const { runModulesInstall } = await import("../commands/modules.ts");
  return { run: runModulesInstall };
});

const validate = command(rules.validate, async () => {
  const { runValidate, rulesText } = await import("../commands/validate.ts");
  return { run: runValidate, text: rulesText };
});
const audit = command(rules.audit, async () => {
  const { runAudit, rulesText } = await import("../commands/audit.ts");
  return { run: runAudit, text: rulesText };
});

const printPolicy = command(policy, async () => {
  const { runPolicy, policyText } = await import("../commands/policy.ts");
  return { run: runPolicy, text: policyText };
});

/** `rehearse`, which is given any other command that reaches a cluster. */
export const rehearse = rehearseCommand([
  ...jobs,
  ...[inspect, status, check, modulesList, modulesInUse, modulesInstall, recover, audit],
]);

/** `diff`, which is given any that writes. */
export const diff = diffCommand(jobs);

/** The commands that are given another one. */
export const wrapperCommands: readonly CommandEntry[] = [rehearse, diff];

/** Every command, in the order of the help. */
export const entries: readonly CommandEntry[] = [
  ...[check, ...jobs, rehearse, diff, validate, audit, printPolicy, modulesInstall, status],
  ...[recover, modulesList, modulesInUse, inspect],
  command(about.explain, async () => {
    const { runExplain, explanationText } = await import("../commands/explain.ts");
    return { run: runExplain, text: explanationText };
  }),
  command(about.completion, async () => {
    const { runCompletion } = await import("../commands/completion.ts");
    return { run: runCompletion };
  }),
  command(about.version, async () => {
    const { runVersion, versionText } = await import("../commands/version.ts");
    return { run: runVersion, text: versionText };
  }),
  command(about.options, async () => {
    const { runOptions, optionsText } = await import("../commands/options.ts");
    return { run: runOptions, text: optionsText };
  }),
];
