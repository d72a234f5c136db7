/** A database that the REST service holds: the wish goes there, what came of it comes back (S61–S66, S98). */
import { compareEngineVersions, leadingEngineVersion } from "../../domain/versions";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { become, refuse, restFields, statusSays } from "./database-status";
import type { Wish } from "./database-wish";
import type { ServedDatabase } from "./rest-service";
import { identity, type Scene } from "./scene";

/** A database's wish, and what the service has of it. */
interface Both {
  readonly wish: Wish;
  readonly served: ServedDatabase;
}

/** What the operator has to do about it. */
export function servedDatabaseActs(scene: Scene, edb: KubeObject, both: Both): readonly Act[] {
  const { wish, served } = both;
  // what is at work is only told
  if (served.isBusy) return told(scene, edb, served);
  const isHad = isReached(both);
  const refused = wish.refused ?? (isHad ? undefined : refusalOf(scene, edb, wish));
  if (refused !== undefined) return refuse(scene, edb, { why: refused, also: served.status });
  return isHad || scene.seen.has(attempt(edb, wish))
    ? atRest(scene, edb, served)
    : [raising(scene, edb, wish)];
}

function isReached({ wish: { version }, served }: Both): boolean {
  if (version === undefined) return true;
  const runs = leadingEngineVersion(served.version);
  return runs !== undefined && compareEngineVersions(runs, version) >= 0;
}

function refusalOf({ rest }: Scene, edb: KubeObject, { version }: Wish): string | undefined {
  return version === undefined ? undefined : rest?.refusal(edb, version);
}

/** Begun once for each edit: what failed waits for another one, or for somebody at the REST API. */
function attempt(edb: KubeObject, { version }: Wish): string {
  return `raised ${identity(edb)} ${edb.metadata.generation ?? 0} ${JSON.stringify(version)}`;
}

function raising(scene: Scene, edb: KubeObject, wish: Wish): Act {
  const { rest, seen, times } = scene;
  const key = attempt(edb, wish);
  return {
    key,
    afterMs: times.reactMs,
    run: () => {
      seen.set(key, "");
      if (wish.version !== undefined) rest?.raise(edb, wish.version);
      return Promise.resolve();
    },
  };
}

function told(scene: Scene, edb: KubeObject, { status }: ServedDatabase): readonly Act[] {
  return statusSays(edb, status) ? [] : [become(scene, edb, status)];
}

/** The service's word on the state counts. */
function atRest(scene: Scene, edb: KubeObject, { status }: ServedDatabase): readonly Act[] {
  const fields = [...restFields(scene, edb), ...status];
  return statusSays(edb, fields) ? [] : [become(scene, edb, fields)];
}
