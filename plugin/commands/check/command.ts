/** `check`: flags to options, then the snapshot and its judgment (S121-S127). */
import { readSecretCertificate } from "../../adapters/certificate";
import { renderCompactly } from "../../adapters/kubernetes/text/yaml";
import { checks } from "../checks";
import { judgingCodes } from "../../domain/checks/check";
import type { CheckTarget } from "../../domain/checks/context";
import { type Selection, unknownCodes } from "../../domain/checks/selection";
import { UsageError } from "../../domain/base/errors";
import { isOpenShift, type Facts } from "../../domain/facts/facts";
import type { Names } from "../../domain/names/names";
import type { ValidatingWebhookConfiguration } from "../../domain/kube/models";
import type { Release, ReleaseContents } from "../../domain/release/contents";
import { renderTemplate } from "../../domain/admission/wanted";
import { checkCluster, makeLine } from "./check";
import type { Report } from "../../kernel/report";
import { type CommandContext, resolveNamespace } from "../../cmdutil/context";
import {
  readContents,
  findRelease,
  readRoles,
  readShippedWebhook,
  withRelease,
} from "../../cmdutil/release-option";
import { parseManifests } from "../../cmdutil/manifest-documents";
import { startRecorder } from "../../cmdutil/run-ports";
import type { CheckFlags } from "./flags";

export { checkText } from "./text";

/** Judges the cluster; every expected end comes back as a report. */
export async function runCheck(
  context: CommandContext,
  _args: readonly string[],
  flags: CheckFlags,
): Promise<Report> {
  const { selection, strict, allowUnread } = flags;
  requireKnown(selection);
  const { names, clock } = context;
  if (flags.list) return listChecks(selection, names);
  const release = await findRelease(context, flags);
  const here = await resolveNamespace(context);
  const cluster = await here.connect();
  const { namespace } = cluster;
  const recorder = await startRecorder(here, "Check");
  const report = await checkCluster(
    {
      cluster,
      clock,
      names,
      signal: context.signal,
      certificates: { readSecretCertificate },
      recorder,
      yaml: renderCompactly,
    },
    {
      namespace,
      targetFor: (facts) => checkTarget(here, facts, { ...flags, opened: release }),
      selection,
      strict,
      allowUnread,
    },
  );
  return withRelease(report, release);
}

/** What a release that was opened, or the templates that the tool ships, ask of a cluster. */
function checkTarget(
  context: CommandContext,
  facts: Facts,
  { target, opened }: { readonly target?: string; readonly opened?: Release | undefined },
): CheckTarget {
  const platform = isOpenShift(facts) ? "openshift" : "kubernetes";
  const contents = opened && readContents(opened, platform, { context, target });
  return {
    operatorVersion: target,
    contents,
    webhook: chooseWebhook(context, facts, contents),
    shippedWebhook: contents?.webhook === undefined,
    rbac: readRoles(context.names, contents),
  };
}

function chooseWebhook(
  context: CommandContext,
  { namespace }: Facts,
  contents: ReleaseContents | undefined,
): ValidatingWebhookConfiguration {
  const file = contents?.webhook;
  const { documents, source } =
    file === undefined
      ? readShippedWebhook(context.names)
      : { documents: parseManifests(file.text, file.source), source: file.source };
  const rendered = renderTemplate(documents, namespace, context.names);
  if (rendered.is === "rendered") return rendered.configuration;
  throw new UsageError(
    rendered.problems.map((problem) => `template ${source}: ${problem}`),
    { hint: "give a release as it was published" },
  );
}

function requireKnown(selection: Selection): void {
  const known = [...checks, ...Object.values(judgingCodes)].map(({ code }) => code);
  const problems = unknownCodes(selection, known);
  if (problems.length === 0) return;
  throw new UsageError(problems, { hint: "see every check with check --list" });
}

function listChecks({ only }: Selection, names: Names): Report {
  const wanted = checks.filter(({ code }) => only === undefined || only.includes(code));
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "Check",
    details: { checks: wanted.map((check) => makeLine(check, names)) },
    exit: { code: 0, reason: `${wanted.length} checks` },
  };
}
