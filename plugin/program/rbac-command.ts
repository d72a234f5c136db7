/** `reapply-rbac`, as data. */
import type { ReapplyRbacFlags } from "../commands/context";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { readRelease, releaseFlags } from "./release-flags";
import type { FlagReader } from "./values";

/** `reapply-rbac`. */
export const reapplyRbac: CommandEntry = {
  path: "reapply-rbac",
  kind: "ReapplyRbac",
  group: groups.upgrade,
  summary: "Bring the operator's Role and RoleBinding up to date in every managed namespace",
  description: `Bring the operator's Role and RoleBinding up to date in every managed namespace.

Without --mode it only adds: rules and subjects that are there stay. --mode contract takes away what other releases
had, asks first, and is refused while the operator is older than the roles. Without --release the roles are those of
the release that runs. What a person added is kept in every mode and listed; --drop-local takes it away.

What exists is read at once, only differences are written, and each namespace has a result of its own. The
namespaces are those that the operator is told to manage, or exactly those that are given. After writing,
access reviews prove the access. Running the command again goes on from the state found.`,
  examples: [
    {
      does: "Show rules gained and lost, write nothing",
      line: "reapply-rbac -n engine --dry-run=client",
    },
    { does: "Use the roles of a release", line: "reapply-rbac -n engine --release ./release" },
    {
      does: "Before the operator's upgrade: old and new rules",
      line: "reapply-rbac --release ./release",
    },
    { does: "After it: take away the old rules", line: "reapply-rbac --mode contract" },
    {
      does: "Take away what people added, too",
      line: "reapply-rbac --mode contract --drop-local all",
    },
    {
      does: "Begin with one, stop when three fail",
      line: "reapply-rbac --canary shop --max-failures 3",
    },
  ],
  flags: [
    {
      name: "namespaces",
      value: "NAMES",
      repeat: true,
      help: "Namespaces to work on, exactly these",
    },
    {
      name: "selector",
      short: "l",
      value: "SELECTOR",
      help: "Label selector of the namespaces to work on",
    },
    {
      name: "namespaces-file",
      value: "FILE",
      file: true,
      help: "File with the namespaces to work on; - for stdin",
    },
    {
      name: "template",
      value: "FILE",
      file: true,
      help: "Roles and bindings to apply; - for stdin",
    },
    ...releaseFlags,
    {
      name: "mode",
      value: "MODE",
      choices: ["expand", "contract"],
      fallback: "expand",
      help: "expand only adds; contract takes away what other releases had",
    },
    {
      name: "drop-local",
      value: "ENTRIES",
      repeat: true,
      help: "Take away what a person added: ROLE:GROUP/RESOURCE:VERB, ROLE:User/NAME, or all",
    },
    {
      name: "ec-service-account",
      value: "NAME",
      help: "The cluster's service account; else the cluster resource names it",
    },
    { name: "prune", help: "Delete what is left in namespaces that are not managed any more" },
    { name: "canary", value: "NAMESPACE", help: "Work on this one first, and stop when it fails" },
    { name: "max-failures", value: "N", help: "Stop when so many namespaces have failed" },
    {
      name: "take-over",
      help: "With --mode contract: take a namespace from the operator of another namespace",
    },
    {
      name: "take-fields",
      value: "FIELDS",
      repeat: true,
      help: "Fields to take from their present owner, separated by commas",
    },
    { name: "no-probe", help: "Prove nothing by access reviews" },
  ],
  cluster: true,
  place: "operator",
  settles: true,
  prepare: prepare<ReapplyRbacFlags>(judge, async () => {
    const { runReapplyRbac } = await import("../commands/reapply-rbac.ts");
    return { run: runReapplyRbac };
  }),
};

function judge(read: FlagReader): ReapplyRbacFlags {
  const selector = read.text("selector");
  const namespacesFile = read.text("namespaces-file");
  const template = read.text("template");
  const account = read.text("ec-service-account");
  const canary = read.text("canary");
  const namespaces = [...new Set(read.list("namespaces"))];
  requireOne(read, ["namespaces", "selector", "namespaces-file"]);
  requireOne(read, ["template", "release"]);
  if (read.given("namespaces") && namespaces.length === 0) {
    read.problems.push("--namespaces: names no namespace");
  }
  return {
    ...(namespaces.length > 0 && { namespaces }),
    ...given({ selector, namespacesFile, template, account, canary }),
    ...readRelease(read),
    mode: read.choice("mode", ["expand", "contract"], "expand"),
    dropLocal: read.list("drop-local"),
    prune: read.on("prune"),
    ...(read.given("max-failures") && {
      maxFailures: read.count("max-failures", { min: 1, max: 1_000_000, fallback: 1 }),
    }),
    takeFields: read.list("take-fields"),
    takeOver: read.on("take-over"),
    probe: !read.on("no-probe"),
  };
}

function requireOne(read: FlagReader, names: readonly string[]): void {
  const typed = names.filter((name) => read.given(name)).map((name) => `--${name}`);
  if (typed.length < 2) return;
  read.problems.push(
    `${typed.join(" and ")}: give one of the ${typed.length === 2 ? "two" : "three"}`,
  );
}

function given<K extends string>(
  values: Readonly<Record<K, string | undefined>>,
): { readonly [key in K]?: string } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [key in K]?: string };
}
