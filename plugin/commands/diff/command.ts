/** `diff`, made for the commands that write. */
import { diff } from "./flags";
import { type CommandEntry, makeEntry, mainJob, listPaths } from "../../cmdutil/entry";

/** `diff`, made for the commands that write. */
export function diffCommand(commands: readonly CommandEntry[]): CommandEntry {
  const known = listPaths(commands);
  return makeEntry(diff(known), (_raw, { entry, args, raw, words } = mainJob(commands)) => {
    const prepared = entry.prepare(raw);
    const unfit = `${entry.path} changes nothing; what does: ${known.join(", ")}`;
    return {
      ...prepared,
      problems: [...(commands.includes(entry) ? [] : [unfit]), ...prepared.problems],
      load: async () => {
        const { run, text } = await prepared.load();
        const { diffText, runDiff } = await import("./diff.ts");
        return {
          run: (context) => runDiff(context, (planning) => run(planning, args), words),
          text: diffText(text),
        };
      },
    };
  });
}
