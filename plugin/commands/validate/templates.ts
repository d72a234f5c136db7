/** What `validate` says of files that are templates: they are left for a renderer, and what comes of them is its input. */
import { dirname } from "node:path";
import type { Template } from "../../adapters/manifests";
import type { Finding } from "../../domain/base/findings";
import { ruleFinding } from "../../domain/rules/findings";
import { groupBy } from "../../domain/base/values";
import { quoteCommand } from "../../output/escape";
import type { GlobalOptions } from "../../cmdutil/context";

interface TemplateFindings {
  /** For each template that is meant as a manifest. */
  readonly problems: readonly Finding[];
  /** For all of a chart or a folder together. */
  readonly remarks: readonly Finding[];
}

/** An error for each template that was named, a warning for the others. */
export function templateFindings(
  templates: readonly Template[],
  { prefix }: Pick<GlobalOptions, "prefix">,
): TemplateFindings {
  const makeFinding = (cause: string, { chart, location }: Template): Finding => {
    const fix =
      chart === undefined
        ? "render it first, and check what comes of it: RENDERER"
        : "render the chart first, and check what comes of it";
    const way = wayToRender(
      prefix,
      fix,
      chart === undefined ? undefined : ["helm", "template", chart],
    );
    return { ...ruleFinding("template", { cause, location }), ...way };
  };
  const groups = groupBy(
    templates.filter(({ isMeant }) => !isMeant),
    ({ chart, location }) => chart ?? dirname(location.file),
  );
  return {
    problems: templates
      .filter(({ isMeant }) => isMeant)
      .map((one) => ({
        ...makeFinding(
          `it is a ${nameKind(one)}template, and cannot be checked before it is rendered`,
          one,
        ),
        severity: "error",
      })),
    remarks: [...groups].flatMap(([folder, group]) =>
      group.slice(0, 1).map((one) => {
        const [word, verb] = group.length === 1 ? ["template", "is"] : ["templates", "are"];
        const what = `${group.length} ${nameKind(one)}${word}`;
        return makeFinding(`${what} under ${folder} ${verb} not read`, one);
      }),
    ),
  };
}

/** How to check what a program renders: by its line, else as a person makes one of what `fix` ends with. */
export function wayToRender(
  prefix: string,
  fix: string,
  line: readonly string[] | undefined,
): Pick<Finding, "fix" | "command"> {
  const check = `${prefix} validate -f -`;
  if (line === undefined) return { fix: `${fix} | ${check}` };
  return { fix, command: `${quoteCommand(line)} | ${check}` };
}

/** The fix where there is a line. */
export const renderFirst = "render it, and check what comes of it";

const nameKind = ({ chart }: Template): string => (chart === undefined ? "" : "Helm ");
