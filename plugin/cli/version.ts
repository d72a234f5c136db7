/** `version`: this program, and what of the product is found in the cluster. */
import { once } from "node:events";
import { version } from "../../package.json";
import { built } from "../domain/base/built";
import { kinds } from "../domain/kube/kinds";
import { parseImage } from "../domain/release/images";
import { listTyped } from "../ports/typed";
import { publicText } from "../domain/base/redact";
import { escape } from "../output/escape";
import type { Report } from "../kernel/report";
import type { CommandContext, CommandRun } from "../cmdutil/context";
import type { VersionFlags } from "./flags";

/** A server that is not there must not be waited for. */
const patienceMs = 5_000;

const clientVersion = {
  version,
  ...built,
  node: process.versions.node,
  platform: `${process.platform}/${process.arch}`,
};

interface Found {
  readonly namespace: string;
  /** The tag of its image; absent where it is pinned only by digest. */
  readonly version?: string;
}

interface ClusterVersions {
  readonly serverVersion?: string | undefined;
  readonly operators?: readonly Found[];
  readonly webhooks?: readonly Found[];
  /** Why the rest is not known. */
  readonly unread?: string;
}

/** `details` of the document. */
export interface VersionDetails extends ClusterVersions {
  readonly clientVersion: typeof clientVersion;
}

/** The versions; a cluster that cannot be asked is no failure. */
export const runVersion: CommandRun<VersionFlags> = async (context, _args, { client }) => {
  const found = client ? {} : await clusterVersions(context);
  for (const one of found.webhooks ?? []) {
    const { version: its } = one;
    if (its === undefined || its === version) continue;
    const text = `the webhook in namespace ${one.namespace} is ${its} and this tool ${version}: they are meant to be of one release`;
    context.event({ type: "warning", text });
  }
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "Version",
    details: { clientVersion, ...found },
    exit: { code: 0, reason: `version ${version}` },
  };
};

async function clusterVersions(context: CommandContext): Promise<ClusterVersions> {
  const { names } = context;
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patienceMs)]);
  const given = once(signal, "abort").then(() => Promise.reject(signal.reason as Error));
  given.catch(() => undefined); // heard only while something is waited for
  try {
    const cluster = await Promise.race([context.connect(), given]);
    const serverVersion = await Promise.race([cluster.version(), given]);
    const findObjects = async (name: string): Promise<readonly Found[]> => {
      const fieldSelector = `metadata.name=${name}`;
      const all = await listTyped(cluster, kinds.deployment, { fieldSelector, signal });
      return (all ?? []).map(({ metadata, spec }) => {
        const tags = spec?.template?.spec?.containers?.map(({ image }) => parseImage(image)?.tag);
        const tag = tags?.find((one) => one !== undefined);
        const { namespace = "" } = metadata;
        return { namespace, ...(tag !== undefined && { version: tag }) };
      });
    };
    const operators = await findObjects(names.operator.deployment);
    return { serverVersion, operators, webhooks: await findObjects(names.companion.deployment) };
  } catch (error) {
    context.signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    return { unread: signal.aborted ? "no answer within 5 s" : publicText(said) };
  }
}

/** As kubectl prints its own. */
export function versionText({ details }: Pick<Report, "details">): string {
  const { serverVersion, operators, webhooks, unread } = details as ClusterVersions;
  const { commit, date, node, platform } = clientVersion;
  const renderFound = (title: string, all: readonly Found[] | undefined): readonly string[] =>
    all?.length === 0
      ? [`${title}: not found`]
      : (all ?? []).map(
          (one) =>
            `${title}: ${escape(`${one.version ?? "pinned by digest"}, namespace ${one.namespace}`)}`,
        );
  const lines = [
    `Client Version: v${version}`,
    `Commit: ${commit}, ${date}`,
    `Node: v${node}, ${platform}`,
    ...(serverVersion === undefined ? [] : [`Server Version: ${escape(serverVersion)}`]),
    ...renderFound("Operator Version", operators),
    ...renderFound("Webhook Version", webhooks),
    ...(unread === undefined ? [] : [`Server: not read: ${escape(unread)}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
