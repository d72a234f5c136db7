/** `check`: flags to options, then the snapshot and its judgment (S121-S127). */
import { readSecretCertificate } from "../../adapters/certificate";
import { renderCompactly } from "../../adapters/kubernetes/text/yaml";
import { listChecks } from "../checks";
import { judgingCodes } from "../../domain/checks/check";
import type { CheckTarget } from "../../domain/checks/context";
import { type Selection, unknownCodes } from "../../domain/checks/selection";
import { pick } from "../../domain/base/values";
import { UsageError } from "../../domain/base/errors";
import { isOpenShift, type Facts } from "../../domain/facts/facts";
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
import { noteBeyond } from "../../cmdutil/advisories-age";
import { readGiven } from "../../cmdutil/advisories-option";
import { readProbeWish } from "../../cmdutil/probe-wish";
import { startRecorder } from "../../cmdutil/run-ports";
import type { CheckFlags } from "./flags";

export { checkText } from "./text";

/** Judges the cluster; every expected end comes back as a report. */
export async function runCheck(
  asked: CommandContext,
  _args: readonly string[],
  flags: CheckFlags,
): Promise<Report> {
  const { selection, strict, allowUnread } = flags;
  const { rows, findings: broken } = await readGiven(asked, flags);
  const context = { ...asked, ...rows };
  requireKnown(selection, context);
  const { names, clock } = context;
  if (flags.list) return showList(selection, context);
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
      probe: readProbeWish(here, flags),
      broken,
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
  const operator = target ?? contents?.operatorVersion;
  noteBeyond(context, { operator, cluster: contents?.clusterVersion });
  return {
    ...pick(context, "advised"),
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

function requireKnown(selection: Selection, context: CommandContext): void {
  const known = [...listChecks(context), ...Object.values(judgingCodes)].map(({ code }) => code);
  const problems = unknownCodes(selection, known);
  if (problems.length === 0) return;
  throw new UsageError(problems, { hint: "see every check with check --list" });
}

function showList({ only }: Selection, context: CommandContext): Report {
  const { names } = context;
  const wanted = listChecks(context).filter(
    ({ code }) => only === undefined || only.includes(code),
  );
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "Check",
    details: { checks: wanted.map((check) => makeLine(check, names)) },
    exit: { code: 0, reason: `${wanted.length} checks` },
  };
}
