/**
 * The REST APIs of a rehearsed cluster: played from the moment a command first asks one, from what the
 * cluster holds, with a certificate and credentials that are made for it. No Secret is read for them.
 */
import { kinds } from "../domain/kube/kinds";
import type { PlayedService } from "../adapters/rest-api/connect";
import { findPlaces } from "../adapters/rest-api/route";
import type { Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import { getPath, asString } from "../domain/base/values";
import { parseReleaseTag } from "../domain/base/versions";
import type { Clock } from "../ports/kubernetes";
import { openClusterApi, type PlayedClusterApi } from "./rest-api/server";
import { EdbBridge } from "./rest-api/bridge";
import { type ApiProfile, type ProfileName, profiles, usualProfile } from "./rest-api/profiles";
import { seedStore } from "./rest-api/state";
import type { MemoryControlPlane } from "./api-server/control-plane";
import { listDatabases, isAtLeast, readRunningTag } from "./operator/prerequisites";
import { type RestService } from "./operator/snapshot";

/** What they are played from. */
interface ApisWish {
  readonly controlPlane: MemoryControlPlane;
  readonly clock: Clock;
  readonly names: Names;
}

/** One for each EC that was asked; the operator at play works with the first of them. */
export class PlayedApis {
  readonly #opened = new Map<string, Promise<PlayedClusterApi>>();
  readonly #apis: PlayedClusterApi[] = [];
  #service: RestService | undefined;

  constructor(private readonly wish: ApisWish) {}

  /** How the service of an EC is reached, and who may ask it. */
  async of(ec: KubeObject): Promise<PlayedService> {
    const { namespace = "", name = "" } = ec.metadata;
    const key = `${namespace}/${name}`;
    const opening = this.#opened.get(key) ?? this.#open(ec);
    this.#opened.set(key, opening);
    const api = await opening;
    const [admin] = api.store.users;
    const { name: username = "", password = "" } = admin ?? {};
    return { url: api.url, ca: api.caPem, credentials: { username, password } };
  }

  /** What the operator at play raises databases with; undefined before a command asked. */
  get service(): RestService | undefined {
    return this.#service;
  }

  /** Calls so far that change something. */
  get writes(): number {
    const { authorize } = this.wish.names.restPaths;
    return this.#apis
      .flatMap(({ calls }) => calls)
      .filter(({ method, path }) => method !== "GET" && path !== authorize).length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#apis.map((api) => api.close()));
  }

  async #open(ec: KubeObject): Promise<PlayedClusterApi> {
    const { controlPlane, clock, names } = this.wish;
    const { state } = controlPlane;
    const { group } = names;
    const { name = "", namespace } = ec.metadata;
    const running = readRunningTag(state.get(kinds.statefulSet, name, namespace), names);
    const profile = profileFor(running ?? asString(getPath(ec, names.ecFields.versionTag)));
    const cluster = findPlaces(ec, names).fqdn;
    const store = seedStore({ names, profile, now: clock.now(), cluster });
    store.upgradePolicy = asString(getPath(ec, names.fields.engineUpgradePolicy));
    const api = await openClusterApi({ store, profile, names, clock });
    this.#apis.push(api);
    const bridge = new EdbBridge({ store, works: api.works, names, profile, ec: name });
    const all = (plural: string) => state.list({ group, plural });
    const stored = { names, ecs: all(names.ec.plural), edbs: all(names.edb.plural) };
    bridge.follow({ ec, edbs: listDatabases(stored, ec), running });
    this.#service ??= bridge;
    return api;
  }
}

/** The first cluster release of each profile, as far as what differs is published (domain facts 9). */
const firstOf: readonly (readonly [ProfileName, string])[] = [
  ["7.22", "7.8.2-0"],
  ["8.0", "8.0.0-0"],
  ["8.2", "8.2.0-0"],
];

/** What a cluster of this release serves; the usual where its tag does not report. */
function profileFor(tag: string | undefined): ApiProfile {
  if (tag === undefined || parseReleaseTag(tag) === undefined) return profiles[usualProfile];
  const [name] = firstOf.findLast(([, first]) => isAtLeast(tag, first)) ?? ["7.4" as const];
  return profiles[name];
}
