/**
 * What findings advise, over every row by which a check fires: each line of kubectl is one that kubectl
 * reads and that names what it is about, and each flag is one of a command that the advice names.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue as codes } from "../../../plugin/commands/explain/catalogue";
import { entries } from "../../../plugin/cli/commands";
import { standardFlags } from "../../../plugin/cmdutil/standard-flags";
import { judgeChecks } from "../../../plugin/commands/checks";
import { firstRun } from "../../../plugin/domain/base/remedy";
import { explain } from "../../../plugin/domain/names/codes";
import { everyScene } from "../domain/checks/scenes";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { Finding } from "../../../plugin/domain/base/findings";

interface Advice {
  readonly code: string;
  readonly fix: string;
}

const golden = join(__dirname, "../../golden");
const told: readonly Advice[] = readdirSync(golden)
  .filter((file) => /^checks-.*\.txt$/.test(file))
  .flatMap((file) => readFileSync(join(golden, file), "utf8").split("\n"))
  .flatMap((line) => {
    const [, code, fix] = /^(?:error|warning) (\S+) .*? -> (.*)$/.exec(line) ?? [];
    return code === undefined || fix === undefined ? [] : [{ code, fix }];
  });
const advice: readonly Advice[] = [...codes.map((code) => explain(code, names)), ...told];

/** The lines of kubectl and oc in an advice; a text in quotes is one word. */
function linesIn({ fix }: Advice): readonly (readonly string[])[] {
  return [...fix.matchAll(/\b(?:kubectl|oc) (?!engine\b)((?:'[^']*'|[^;,()'|])+)/g)].map(
    ([, line = ""]) => line.match(/(?:'[^']*'|[^\s'])+/g) ?? [],
  );
}

const verbs =
  /^(adm|annotate|apply|create|delete|describe|edit|exec|get|kustomize|label|logs|patch|replace|rollout|scale|taint|uncordon|version)$/;
const kubectlFlags: readonly string[] = (
  "all-namespaces container dry-run filename force from namespace output overwrite patch previous " +
  "replicas selector server-side force-conflicts show-labels show-managed-fields subresource tail type grace-period patch-file"
).split(" ");

test("lines of kubectl have a verb and flags of kubectl's", () => {
  const wrong = advice.flatMap((one) =>
    linesIn(one).filter(([verb = "", ...words]) => {
      const flags = words.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? []);
      return !verbs.test(verb) || flags.some((flag) => !kubectlFlags.includes(flag));
    }),
  );
  expect(advice.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

test("a line that shows a log names the container, where pods have several", () => {
  const wrong = told
    .flatMap(linesIn)
    .filter(
      ([verb, ...words]) => verb === "logs" && !/ (-c |--container=)/.test(` ${words.join(" ")}`),
    );
  expect(told.flatMap(linesIn).some(([verb]) => verb === "logs")).toBe(true);
  expect(wrong).toEqual([]);
});

test("each flag of this tool belongs to a command that the advice names, or to the one that was typed", () => {
  // one word alone may be no command: "the policy", "check whether"
  const paths = entries.map(({ path }) => path).filter((path) => /[ -]/.test(path));
  const own = new Map(
    entries.map((entry) => [entry.path, entry.flags.map(({ name }) => name)] as const),
  );
  const ofKubectl = ["help", "previous", "show-managed-fields"];
  const anywhere = new Set([
    ...ofKubectl,
    ...standardFlags.map(({ name }) => name),
    ...[...own.values()].flat(),
  ]);
  const wrong = advice.flatMap(({ code, fix }) => {
    const rest = linesIn({ code, fix }).reduce(
      (text, words) => text.replace(words.join(" "), ""),
      fix,
    );
    const flags = [...rest.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, flag = ""]) => flag);
    const named = paths.filter((path) => new RegExp(`(?<![\\w-])${path}(?![\\w-])`).test(rest));
    const known = [...named, "upgrade"].flatMap((path) => own.get(path) ?? []);
    const standard = standardFlags.map(({ name }) => name);
    return flags
      .filter(
        (flag) =>
          !anywhere.has(flag) || (named.length > 0 && ![...known, ...standard].includes(flag)),
      )
      .map((flag) => `${code} --${flag}: ${fix}`);
  });
  expect([...new Set(wrong)]).toEqual([]);
});

const lineFor = ({ remedies }: Finding): string | undefined => {
  const { run, see } = firstRun(remedies) ?? { run: undefined, see: undefined };
  const { of, words } = run ?? { of: "kubectl", words: [] };
  const isLook = see !== undefined || /^(get|describe|logs|diff|version)$/.test(words[0] ?? "");
  return words.length === 0 || isLook ? undefined : [of, ...words].join(" ");
};

test("no two findings of one object are the same cause, or have two lines that change things", async () => {
  const scenes = (await everyScene()).map(({ title, facts, target }) => ({
    title,
    findings: judgeChecks(facts, target, {}).findings,
  }));
  const wrong = scenes.flatMap(({ title, findings }) =>
    [...new Set(findings.map(({ object }) => object))].flatMap((object) => {
      const its = findings.filter((one) => one.object === object);
      const all = [...new Set(its.flatMap((one) => lineFor(one) ?? []))];
      // the same line with a flag more does both
      const lines = all.filter((line) => !all.some((other) => other.startsWith(`${line} `)));
      const causes = its.map(({ code, cause }) => [cause, code] as const);
      const isTwice = causes.some(([cause, code]) =>
        causes.some((other) => other[0] === cause && other[1] !== code),
      );
      return lines.length > 1 || isTwice ? [`${title}: ${lines.join(" / ")}`] : [];
    }),
  );
  const lines = scenes.flatMap(({ findings }) => findings.flatMap((one) => lineFor(one) ?? []));
  expect([scenes.length > 300, lines.length > 100]).toEqual([true, true]);
  expect(wrong).toEqual([]);
}, 60_000);

test("lines of helm have a verb and flags of helm's", () => {
  const flags = [
    ...["reset-then-reuse-values", "set", "values", "version", "namespace", "from-file"],
    "dry-run",
  ];
  const lines = advice.flatMap(({ fix }) => [
    ...fix.matchAll(
      /(?<![\w-])helm (rollback|upgrade|template|get|list|history|\w+ \w+)([^;,()]*)/g,
    ),
  ]);
  const wrong = lines.filter(([, verb = "", rest = ""]) => {
    const used = [...rest.matchAll(/(?<=\s)--([a-z-]+)/g)].map(([, flag = ""]) => flag);
    // words of a sentence: "helm refuses", "helm run"
    const isVerb = /^(rollback|upgrade|template|get|list|history)$/.test(verb);
    return isVerb && used.some((flag) => !flags.includes(flag));
  });
  expect(lines.length).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
});
