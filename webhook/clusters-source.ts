/** Chooses the source of ECs that the settings name. */
import { ApiClusters } from "./clusters-api";
import type { ClusterService, SourceContext } from "./clusters";
import { connect } from "./clusters-connection";
import { FileClusters } from "./clusters-file";
import type { ClusterSource } from "./config";

/** The source; a UsageError when it cannot even be tried. */
export function openClusters(
  source: ClusterSource,
  context: SourceContext,
  env: NodeJS.ProcessEnv,
): ClusterService {
  return source.from === "file"
    ? new FileClusters(source.path, context)
    : new ApiClusters(connect(env), context);
}
