/** What `upgrade-webhook` takes. */
import { webhookSecret, namespace, text } from "../../domain/names/text";
import { duration } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { webhookFindings } from "../../domain/admission/findings";
import { makeNamedSkipFlag, releaseFlags, takeFlag } from "../../cmdutil/common-flags";

/** Options of `upgrade-webhook`. */
export type UpgradeWebhookFlags = FlagsOf<typeof upgradeWebhook>;

/** `upgrade-webhook`. */
export const upgradeWebhook = spec({
  path: "upgrade-webhook",
  kind: "UpgradeWebhook",
  group: groups.upgrade,
  summary: "Put the new admission webhook in the place of the old one, without a gap",
  description: text`Put the new admission webhook in the place of the old one, without a gap.

The new configuration is written once, complete and with the CA of the ${webhookSecret} Secret in it; it is
proven with an edit that must pass and one that must be refused; only then is the old one deleted. What is
replaced or deleted is saved first. Running the command again is safe: it continues from the state found.

RBAC and the old SCC with it, in one plan: upgrade --only webhook,rbac,scc.`,
  examples: {
    "Show what would be done": text`upgrade-webhook -n ${namespace} --dry-run=server`,
    "Use the template that the tool ships": text`upgrade-webhook -n ${namespace}`,
    "Use the template of a release": "upgrade-webhook --release ./release.tar.gz",
    "Write the CA that a repository leaves out": "upgrade-webhook --ca-only",
    "Use a template from stdin, in a script": "upgrade-webhook --template - --yes",
  },
  flags: {
    template: { value: "FILE", file: true, help: "Template to apply; - for stdin" },
    ...releaseFlags,
    ...takeFlag("Fields to take from their present owner, separated by commas"),
    "take-template-selectors": {
      help: "Use the template's selectors and conditions instead of those found",
    },
    "take-template-rules": {
      help: "Guard no more than the template does, though the live entry guards more",
    },
    ...makeNamedSkipFlag([webhookFindings.otherNamespace.code, webhookFindings.rulesBeyond.code]),
    "ca-only": {
      help: "Write nothing but the CA, into a configuration that something else owns",
    },
    "wait-secret": {
      ...duration("60s"),
      key: "waitSecretMs",
      help: "Longest time to wait for the Secret to appear",
    },
    "probe-file": {
      value: "FILE",
      file: true,
      help: "Two objects to prove with: the first must pass, the second must be refused",
    },
    "no-probe": { help: "Prove nothing; the report says what is then unproven" },
  },
  cluster: true,
  writes: true,
  place: "webhook",
  settles: true,
  judge: (options, read) => {
    read.requireOne("template", "release");
    if (options.probeFile !== undefined && !options.probe) {
      read.problems.push("--probe-file and --no-probe: give one of the two");
    }
    const { caOnly, takeTemplateSelectors, takeTemplateRules } = options;
    if (caOnly && (takeTemplateSelectors || takeTemplateRules)) {
      read.problems.push(
        "--ca-only writes none of what --take-template-selectors and --take-template-rules name: leave them out",
      );
    }
    return options;
  },
});
