/** The commands that upgrade something, as data. */
import { followers, type UpgradeWebhookFlags } from "../commands/context";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { readRelease, releaseFlags } from "./release-flags";
import type { FlagReader } from "./values";

/** `upgrade-webhook`. */
export const upgradeWebhook: CommandEntry = {
  path: "upgrade-webhook",
  kind: "UpgradeWebhook",
  group: groups.upgrade,
  summary: "Put the new admission webhook in the place of the old one, without a gap",
  description: `Put the new admission webhook in the place of the old one, without a gap.

The new configuration is written once, complete and with the CA of the admission-tls Secret in it; it is
proven with an edit that must pass and one that must be refused; only then is the old one deleted. What is
replaced or deleted is saved first. Running the command again is safe: it goes on from the state found.`,
  examples: [
    { does: "Show what would be done", line: "upgrade-webhook -n engine --dry-run=server" },
    { does: "Use the template that the tool ships", line: "upgrade-webhook -n engine" },
    { does: "Use the template of a release", line: "upgrade-webhook --release ./release.tar.gz" },
    { does: "And RBAC and the old SCC with it", line: "upgrade-webhook --with rbac,scc" },
    { does: "Use a template from a pipe, in a script", line: "upgrade-webhook --template - --yes" },
  ],
  flags: [
    { name: "template", value: "FILE", file: true, help: "Template to apply; - for stdin" },
    ...releaseFlags,
    { name: "take-over", help: "Take the configuration from another namespace that it serves" },
    {
      name: "take-fields",
      value: "FIELDS",
      repeat: true,
      help: "Fields to take from their present owner, separated by commas",
    },
    {
      name: "take-template-selectors",
      help: "Use the template's selectors and conditions instead of those found",
    },
    {
      name: "take-template-rules",
      help: "Guard no more than the template does, though the live entry guards more",
    },
    {
      name: "allow-rules",
      value: "FIELD=VALUE",
      repeat: true,
      help: "Rules of the template beyond the product's kinds, such as 'apiGroups=*'; separated by commas",
    },
    {
      name: "wait-secret",
      value: "DURATION",
      fallback: "60s",
      help: "Longest time to wait for the Secret to appear",
    },
    {
      name: "probe-file",
      value: "FILE",
      file: true,
      help: "Two objects to prove with: the first must pass, the second must be refused",
    },
    { name: "no-probe", help: "Prove nothing; the report says what is then unproven" },
    {
      name: "with",
      value: "PARTS",
      repeat: true,
      help: "Go on with these: rbac (as reapply-rbac), scc (as unbind-scc); separated by commas",
    },
  ],
  cluster: true,
  place: "webhook",
  settles: true,
  prepare: prepare<UpgradeWebhookFlags>(judgeUpgradeWebhook, async () => {
    const { runUpgradeWebhook } = await import("../commands/upgrade-webhook.ts");
    return { run: runUpgradeWebhook };
  }),
};

function judgeUpgradeWebhook(read: FlagReader): UpgradeWebhookFlags {
  const template = read.text("template");
  const release = readRelease(read);
  const probeFile = read.text("probe-file");
  const probe = !read.on("no-probe");
  if (template !== undefined && release.release !== undefined) {
    read.problems.push("--template and --release: give one of the two");
  }
  if (probeFile !== undefined && !probe) {
    read.problems.push("--probe-file and --no-probe: give one of the two");
  }
  return {
    ...(template !== undefined && { template }),
    ...release,
    takeOver: read.on("take-over"),
    takeFields: read.list("take-fields"),
    takeTemplateSelectors: read.on("take-template-selectors"),
    takeTemplateRules: read.on("take-template-rules"),
    allowRules: read.list("allow-rules"),
    waitSecretMs: read.duration("wait-secret", 60_000),
    ...(probeFile !== undefined && { probeFile }),
    probe,
    ...withOf(read),
  };
}

function withOf(read: FlagReader): Pick<UpgradeWebhookFlags, "with"> {
  const typed = read.list("with");
  for (const part of typed.filter((each) => !followers.some((known) => known === each))) {
    read.problems.push(`--with: ${JSON.stringify(part)} is not one of ${followers.join(", ")}`);
  }
  const wanted = followers.filter((known) => typed.includes(known));
  return wanted.length === 0 ? {} : { with: wanted };
}
