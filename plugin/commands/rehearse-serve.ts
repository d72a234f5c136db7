/** `rehearse --serve-api`: the cluster's REST API, played until someone interrupts it. */
import { once } from "node:events";
import { exitCodes } from "../domain/errors";
import { getPath, asString } from "../domain/values";
import { quoteCommand } from "../output/escape";
import { openClusterApi, type PlayedClusterApi } from "../rehearsal/cluster-api/server";
import { EdbBridge } from "../rehearsal/cluster-api/bridge";
import { type CredentialsFolder, writeCredentials } from "../rehearsal/played-apis";
import { type ProfileName, profiles } from "../rehearsal/cluster-api/profiles";
import { seededStore } from "../rehearsal/cluster-api/state";
import type { Source } from "../rehearsal/source/completion";
import type { Report } from "../run/report";
import type { CommandContext, CommandRun } from "./context";
import { openSource } from "./rehearse-source";

/** Flags of `rehearse --serve-api`, judged. */
interface ServeApiFlags {
  /** "-", a file, a folder or a context; absent: the built-in example. */
  readonly from?: string;
  readonly release: ProfileName;
}

/** Serves the databases of a source; being interrupted is how it ends well. */
export const runServeApi: CommandRun<ServeApiFlags> = async (context, _args, flags) => {
  const { source, namespace, close } = await openSource(context, flags.from);
  close();
  const api = await openFor({ source, namespace }, context, flags.release);
  try {
    const [admin] = api.store.users;
    if (admin === undefined) throw new Error("nobody may call the service");
    const { env } = context;
    const home = env["ENGINE_HOME"] === "" ? undefined : env["ENGINE_HOME"];
    const host = new URL(api.url).hostname;
    const folder = writeCredentials({ home, caPem: api.caPem, host, user: admin });
    try {
      for (const note of notesOf(api, folder, context)) context.event({ type: "note", text: note });
      if (!context.signal.aborted) await once(context.signal, "abort");
      return reportOf(api, source, context);
    } finally {
      folder.remove();
    }
  } finally {
    await api.close();
  }
};

type ServedSource = Pick<Source, "objects"> & { readonly described: string };

async function openFor(
  { source, namespace }: { readonly source: ServedSource; readonly namespace: string },
  { names, clock }: CommandContext,
  release: ProfileName,
): Promise<PlayedClusterApi> {
  const ofKind = ({ kind }: { readonly kind: string }) =>
    source.objects.filter(
      (object) => object.kind === kind && object.apiVersion.startsWith(`${names.group}/`),
    );
  const [ec] = ofKind(names.ec);
  const place = ec?.metadata.namespace ?? namespace;
  const cluster = `${ec?.metadata.name ?? names.operator.olmCluster}.${place}.svc.cluster.local`;
  const profile = profiles[release];
  const store = seededStore({ names, profile, now: clock.now(), cluster });
  store.upgradePolicy = asString(getPath(ec, names.fields.engineUpgradePolicy));
  const api = await openClusterApi({ store, profile, names, clock });
  new EdbBridge({ store, works: api.works, names, profile }).adopt(ofKind(names.edb));
  return api;
}

function notesOf(
  { url, store }: PlayedClusterApi,
  { ca, password, netrc }: CredentialsFolder,
  { names }: CommandContext,
): readonly string[] {
  const line = quoteCommand([
    ...["curl", "--cacert", ca, "--netrc-file", netrc],
    `${url}${names.restPaths.bdbs}`,
  ]);
  return [
    `the REST API of ${store.name} is played at ${url}, on this machine alone`,
    `user: ${store.users[0]?.name ?? ""}`,
    `password: in the file ${password}`,
    `certificate to trust: in the file ${ca}`,
    `try: ${line}`,
    "it runs until interrupted (Ctrl-C)",
  ];
}

/** `details` of the document. */
export interface ServedApiDetails {
  /** What was played, in words. */
  readonly source: string;
  readonly address: string;
  readonly databases: number;
  /** How many requests came in. */
  readonly calls: number;
}

function reportOf(
  { url, calls, store }: PlayedClusterApi,
  source: Source,
  { run }: CommandContext,
): Report {
  const details: ServedApiDetails = {
    ...{ source: source.described, address: url },
    ...{ databases: store.bdbs.size, calls: calls.length },
  };
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "ServedApi",
    run,
    details,
    exit: {
      code: exitCodes.ok,
      reason: `the REST API was played until interrupted (calls: ${calls.length})`,
    },
  };
}
