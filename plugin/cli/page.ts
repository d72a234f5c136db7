/** `--report`: the document of a run as a page in a file, however the run ended. */
import { version } from "../../package.json";
import { replaceFile } from "../adapters/files";
import { built } from "../domain/base/built";
import { quoteCommand } from "../output/escape";
import { renderHtml } from "../output/page/html";
import { renderMarkdown } from "../output/page/markdown";
import { buildPage } from "../output/page/model";
import type { Report } from "../kernel/report";
import type { GlobalOptions } from "../cmdutil/context";
import type { Described } from "../cmdutil/spec";
import type { OpenRun, HostProcess } from "./context";

/** What a page tells of a command line. */
interface Typed {
  readonly options: Pick<GlobalOptions, "prefix">;
  readonly problems: readonly string[];
  readonly entry?: Pick<Described, "path">;
}

/** The document with who ran it, how and with what. */
export async function withOrigin(
  report: Report,
  { options, problems, entry }: Typed,
  { opened, world }: { readonly opened: OpenRun; readonly world: HostProcess },
): Promise<Report> {
  // a word of a line that could not be read may be a secret
  const words = problems.length === 0 ? world.argv : (entry?.path.split(" ") ?? []);
  const origin = {
    command: quoteCommand([...options.prefix.split(" "), ...words]),
    version: `${version} (${built.commit})`,
    endedAt: new Date(world.clock.now()).toISOString(),
    ...opened.cluster()?.login,
    identity: await opened.user(),
  };
  return { ...report, origin };
}

/** Writes the page; UsageError when that cannot be done. */
export async function writePage(file: string, report: Report): Promise<void> {
  const render = file.toLowerCase().endsWith(".html") ? renderHtml : renderMarkdown;
  await replaceFile(file, render(buildPage(report)), {
    what: "report",
    hint: "free disk space or make the folder writable; -o json prints the same document",
    mode: 0o600,
  });
}
