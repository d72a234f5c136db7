/** What the module commands have in common: an EC, the permissions, and its REST API. */
import { renderDocuments } from "../adapters/yaml";
import { termOf } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import type { ClusterApi } from "../run/cluster-api";
import { requirePermissions } from "../run/engine/permissions";
import type { Cluster } from "../run/ports";
import type { Recorder } from "../run/engine/recorder";
import type { Report } from "../run/report";
import { type ApiFlags, apiPermissions, connectApi, readEc } from "./api-options";
import type { CommandContext } from "./context";
import { recorderOf } from "./run-ports";

/** Flags of every module command, judged. */
export interface ModulesFlags {
  /** Name of the EC; absent: the only one of the namespace. */
  readonly ec?: string;
  readonly api: ApiFlags;
}

/** Connected, and allowed to be. */
export interface ModulesSession {
  readonly ec: KubeObject;
  readonly api: ClusterApi;
  readonly recorder: Recorder;
  readonly cluster: Cluster;
}

/** Acts on the REST API of an EC; every expected end comes back as a report. */
export async function inModulesSession(
  context: CommandContext,
  { kind, flags }: { readonly kind: string; readonly flags: ModulesFlags },
  act: (session: ModulesSession) => Promise<Report>,
): Promise<Report> {
  const { names } = context;
  const cluster = await context.connect();
  const { namespace } = cluster;
  const recorder = await recorderOf(context, kind);
  const ledger = { cluster, recorder, yaml: renderDocuments };
  try {
    const why = `find the ${termOf(names.ec)}`;
    const {
      group,
      ec: { plural },
    } = names;
    await requirePermissions(ledger, [{ verb: "list", group, resource: plural, namespace, why }]);
    const ec = await readEc(cluster, flags.ec, context);
    const subject = { cluster, ec, flags: flags.api };
    await requirePermissions(ledger, apiPermissions(subject, names));
    const api = await connectApi(context, subject);
    try {
      return await act({ ec, api, recorder, cluster });
    } finally {
      api.close();
    }
  } catch (error) {
    return recorder.failure(error);
  }
}
