/** The commands: the tree, the help and the shell completion are made from this list. */
import * as about from "./flags";
import { ec, text, type Text } from "../domain/names/text";
import { upgrade } from "../commands/upgrade/flags";
import { upgradeCluster } from "../commands/upgrade-cluster/flags";
import { upgradeOperator } from "../commands/upgrade-operator/flags";
import { upgradeDatabase } from "../commands/upgrade-database/flags";
import { check as checkSpec } from "../commands/check/flags";
import { recover as recoverSpec } from "../commands/recover/flags";
import { status as statusSpec } from "../commands/status/flags";
import * as rules from "../commands/validate/flags";
import * as modules from "../commands/modules/flags";
import * as advisories from "../commands/advisories/flags";
import { policy } from "../commands/policy/flags";
import { reapplyRbac } from "../commands/reapply-rbac/flags";
import { unbindScc } from "../commands/unbind-scc/flags";
import { upgradeWebhook } from "../commands/upgrade-webhook/flags";
import { certCreate, certInspect } from "../commands/cert/flags";
import { command, type CommandEntry, partCommand } from "../cmdutil/entry";
import { diffCommand } from "../commands/diff/command";
import { rehearseCommand } from "../commands/rehearse/entry";

/** Words that only lead to other commands. */
export const parents: Readonly<Record<string, Text>> = {
  advisories: "List, check and test what is known to go wrong in which upgrade",
  cert: "Create or inspect the certificate of the admission webhook",
  modules: text`Look at the modules of a cluster (${ec}), define and install some`,
};

/** Commands that write objects, and whose plan tells every write: the order of the help. */
export const writers: readonly CommandEntry[] = [
  command(upgrade, async () => {
    const { runUpgrade } = await import("../commands/upgrade/command.ts");
    const { upgradeRole } = await import("../commands/upgrade/needs.ts");
    const { upgradeText } = await import("../commands/upgrade/text.ts");
    return { run: runUpgrade, text: upgradeText, needs: upgradeRole };
  }),
  command(upgradeWebhook, async () => {
    const { runUpgradeWebhook, webhookRole } =
      await import("../commands/upgrade-webhook/command.ts");
    return { run: runUpgradeWebhook, needs: webhookRole };
  }),
  command(reapplyRbac, async () => {
    const { runReapplyRbac, rbacRole } = await import("../commands/reapply-rbac/command.ts");
    return { run: runReapplyRbac, needs: rbacRole };
  }),
  command(upgradeOperator, async () => {
    const { runUpgradeOperator, operatorText, operatorRole } =
      await import("../commands/upgrade-operator/command.ts");
    return { run: runUpgradeOperator, text: operatorText, needs: operatorRole };
  }),
  partCommand(
    upgradeCluster,
    async () => (await import("../commands/upgrade-cluster/part.ts")).clusterPart,
  ),
  command(upgradeDatabase, async () => {
    const { runUpgradeDatabase, databaseText, databaseRole } =
      await import("../commands/upgrade-database/command.ts");
    return { run: runUpgradeDatabase, text: databaseText, needs: databaseRole };
  }),
  command(unbindScc, async () => {
    const { runUnbindScc, unbindRole } = await import("../commands/unbind-scc/command.ts");
    return { run: runUnbindScc, needs: unbindRole };
  }),
  command(certCreate, async () => {
    const { runCertCreate, certRole } = await import("../commands/cert/command.ts");
    return { run: runCertCreate, needs: certRole };
  }),
  partCommand(
    modules.modulesDefine,
    async () => (await import("../commands/modules/define.ts")).definePart,
  ),
];

const inspect = command(certInspect, async () => {
  const { runCertInspect } = await import("../commands/cert/command.ts");
  return { run: runCertInspect };
});
const status = command(statusSpec, async () => {
  const { createStatus } = await import("../commands/status/command.ts");
  return createStatus();
});
const check = command(checkSpec, async () => {
  const { runCheck, checkText } = await import("../commands/check/command.ts");
  return { run: runCheck, text: checkText };
});
const recover = command(recoverSpec, async () => {
  const { runRecover, recoverText, recoverRole } = await import("../commands/recover/command.ts");
  return { run: runRecover, text: recoverText, needs: recoverRole };
});
const modulesList = command(modules.modulesList, async () => {
  const { runModulesList, modulesListText } = await import("../commands/modules/command.ts");
  return { run: runModulesList, text: modulesListText };
});
const modulesInUse = command(modules.modulesInUse, async () => {
  const { runModulesInUse, modulesInUseText } = await import("../commands/modules/command.ts");
  return { run: runModulesInUse, text: modulesInUseText };
});
const modulesInstall = command(modules.modulesInstall, async () => {
  const { runModulesInstall, modulesRole } = await import("../commands/modules/command.ts");
  return { run: runModulesInstall, needs: modulesRole };
});
const validate = command(rules.validate, async () => {
  const { runValidate, rulesText } = await import("../commands/validate/command.ts");
  return { run: runValidate, text: rulesText };
});
const audit = command(rules.audit, async () => {
  const { runAudit, rulesText } = await import("../commands/validate/audit-command.ts");
  return { run: runAudit, text: rulesText };
});

const printPolicy = command(policy, async () => {
  const { runPolicy, policyText } = await import("../commands/policy/command.ts");
  return { run: runPolicy, text: policyText };
});

const advisoriesList = command(advisories.advisoriesList, async () => {
  const { runAdvisoriesList } = await import("../commands/advisories/command.ts");
  const { advisoriesText } = await import("../cmdutil/advisories-list.ts");
  return { run: runAdvisoriesList, text: advisoriesText };
});
const advisoriesLint = command(advisories.advisoriesLint, async () => {
  const { runAdvisoriesLint, lintText } = await import("../commands/advisories/command.ts");
  return { run: runAdvisoriesLint, text: lintText };
});
const advisoriesTest = command(advisories.advisoriesTest, async () => {
  const { runAdvisoriesTest, testText } = await import("../commands/advisories/command.ts");
  return { run: runAdvisoriesTest, text: testText };
});

/** `rehearse`, which is given any other command that reaches a cluster. */
export const rehearse = rehearseCommand([
  ...writers,
  ...[inspect, status, check, modulesList, modulesInUse, modulesInstall, recover, audit],
]);

/** `diff`, which is given any that writes. */
export const diff = diffCommand(writers);

/** The commands that are given another one. */
export const wrapperCommands: readonly CommandEntry[] = [rehearse, diff];

/** Every command, in the order of the help. */
export const entries: readonly CommandEntry[] = [
  ...[check, ...writers, rehearse, diff, validate, audit, printPolicy],
  ...[advisoriesList, advisoriesLint, advisoriesTest, modulesInstall, status],
  ...[recover, modulesList, modulesInUse, inspect],
  command(about.explain, async () => {
    const { runExplain, explanationText } = await import("../commands/explain/command.ts");
    return { run: runExplain, text: explanationText };
  }),
  command(about.completion, async () => {
    const { runCompletion } = await import("./completion-scripts.ts");
    return { run: runCompletion };
  }),
  command(about.version, async () => {
    const { runVersion, versionText } = await import("./version.ts");
    return { run: runVersion, text: versionText };
  }),
  command(about.options, async () => {
    const { runOptions, optionsText } = await import("./options.ts");
    return { run: runOptions, text: optionsText };
  }),
];

/** Every code with its cause, for completion; loaded when it is asked for. */
export async function codes(): Promise<readonly (readonly [code: string, cause: Text])[]> {
  const { catalogue } = await import("../commands/explain/catalogue.ts");
  const { listShipped } = await import("../domain/advisories/shipped.ts");
  const told = [
    // their texts name modules, which a brand may call otherwise
    ...listShipped().map(({ code }): [string, Text] => [code, "what an advisory is about"]),
    ...catalogue.map(({ code, cause }): [string, Text] => [code, cause]),
  ];
  return [...new Map(told)].sort(([one], [other]) => (one < other ? -1 : 1));
}
