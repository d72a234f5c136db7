/** The man pages of a program, from what the pages of the reference are made of. */
import { gzipSync } from "node:zlib";
import { version } from "../../package.json";
import { entries } from "../../plugin/cli/commands";
import type { Entry } from "../package/archives";
import { man, type Page } from "./markup";
import * as pages from "./pages";

const own: Readonly<Record<"kubectl-engine" | "engine-webhook", Page>> = {
  "kubectl-engine": {
    title: "kubectl engine",
    summary: "upgrade Engine Enterprise on Kubernetes and OpenShift",
    parts: [
      "## Commands",
      {
        heads: ["command", "does"],
        rows: entries.map(({ path, summary }) => [path, pages.inWords(summary)]),
      },
      ...[pages.flagsPage, pages.environmentPage].flatMap(({ parts }) => parts),
      "## Exit codes",
      ...pages.exitCodesPage.parts,
    ],
  },
  "engine-webhook": {
    title: "engine-webhook",
    summary: "admission webhook that refuses edits of databases which would break an upgrade",
    parts: ["## Environment", pages.webhookPart],
  },
};

/** The pages compressed, without a time, as a package has them. */
export function manual(program: keyof typeof own): readonly Entry[] {
  const ofCommand = entries.map((entry) => {
    return [`kubectl-engine-${pages.pageName(entry)}`, pages.commandPage(entry)] as const;
  });
  const all = [
    [program, own[program]] as const,
    ...(program === "kubectl-engine" ? ofCommand : []),
  ];
  return all.map(([name, page]) => {
    const file = `${name}.1.gz`;
    const bytes = gzipSync(man(name, version, page));
    return { name: `man/${file}`, bytes, installed: `/usr/share/man/man1/${file}` };
  });
}
