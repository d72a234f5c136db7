/**
 * Imports that break a rule of rooms.mjs and wait for the parts of an upgrade to be values: `upgrade` still runs
 * other commands as dry runs, `upgrade-webhook --with` two of them, and each asks what the others need.
 */
export default {
  "plugin/commands/parts.ts": [
    "plugin/commands/reapply-rbac/command.ts",
    "plugin/commands/reapply-rbac/flags.ts",
    "plugin/commands/unbind-scc/command.ts",
    "plugin/commands/upgrade-cluster/command.ts",
    "plugin/commands/upgrade-database/command.ts",
    "plugin/commands/upgrade-database/flags.ts",
    "plugin/commands/upgrade-operator/command.ts",
    "plugin/commands/upgrade-webhook/command.ts",
    "plugin/commands/upgrade-webhook/flags.ts",
    "plugin/commands/upgrade/flags.ts",
    "plugin/commands/upgrade/in-turn.ts",
    "plugin/commands/upgrade/procedure.ts",
    "plugin/commands/upgrade/upgrade.ts",
  ],
  "plugin/commands/status/status.ts": ["plugin/commands/upgrade/procedure.ts"],
  "plugin/commands/upgrade/needs.ts": [
    "plugin/commands/reapply-rbac/needs.ts",
    "plugin/commands/unbind-scc/needs.ts",
    "plugin/commands/upgrade-cluster/needs.ts",
    "plugin/commands/upgrade-database/needs.ts",
    "plugin/commands/upgrade-operator/needs.ts",
    "plugin/commands/upgrade-webhook/needs.ts",
  ],
  "plugin/commands/upgrade/procedure.ts": ["plugin/commands/status/next.ts"],
};
