/** What a played cluster holds at the start: bundled modules, users, a license, databases by few words. */
import { randomBytes } from "node:crypto";
import type { Names } from "../../domain/names";
import { knownCapabilities } from "./archive";
import type { ApiUser, Bdb, License, StoredModule } from "./model";
import type { ApiProfile } from "./profiles";
import { shardsOf } from "./shards";
import { ClusterStore } from "./store";

const day = 24 * 3_600_000;

/** A database in few words; what is left out is usual. */
export type BdbWish = Pick<Bdb, "uid" | "name" | "version"> &
  Partial<Omit<Bdb, "shards">> & {
    /** Number of masters. */
    readonly shards?: number;
  };

/** A whole database. */
export function bdbOf({ shards = 2, ...wish }: BdbWish): Bdb {
  const bdb = {
    status: "active",
    replication: true,
    persistence: "aof" as const,
    modules: [],
    memorySize: 1024 ** 3,
    failovers: 0,
    discarded: false,
    ...wish,
  };
  return { ...bdb, shards: shardsOf(shards, bdb) };
}

/** The version that a bundled module has for an engine version: they go by the same numbers. */
export function bundledVersion(engine: string): string {
  return `${engine}.0`;
}

/** A build of every bundled module for every engine version that the release can run. */
export function bundledModules(
  names: Names,
  { versions, platform }: Pick<ApiProfile, "versions" | "platform">,
): readonly StoredModule[] {
  return versions.flatMap((engine) =>
    names.bundledModules.map((name) => ({
      uid: `${name}-${engine}`,
      name,
      displayName: name,
      version: bundledVersion(engine),
      minEngineVersion: engine,
      compatibleEngineVersion: engine,
      platforms: [platform],
      isBundled: true,
      capabilities: knownCapabilities,
    })),
  );
}

/** Somebody who may upgrade, and somebody who may only look; passwords are made anew each time. */
export function usualUsers(names: Names): readonly ApiUser[] {
  const password = () => randomBytes(18).toString("base64url");
  return [
    { name: "admin@example.com", password: password(), permissions: [names.restPermission] },
    { name: "viewer@example.com", password: password(), permissions: [] },
  ];
}

/** A license of which some months are left. */
export function usualLicense(now: number): License {
  const text = "a license of the rehearsal";
  return { text, activatedAt: now - 90 * day, expiresAt: now + 90 * day, shardsLimit: 100 };
}

/** What a store is made of. */
export interface SeedWish {
  readonly names: Names;
  readonly profile: ApiProfile;
  readonly now: number;
  /** Domain name of the cluster. */
  readonly cluster: string;
  readonly bdbs?: readonly Bdb[];
}

/** A store with everything that a cluster has of its own. */
export function seededStore({ names, profile, now, cluster, bdbs = [] }: SeedWish): ClusterStore {
  return new ClusterStore({
    name: cluster,
    profile,
    users: usualUsers(names),
    license: usualLicense(now),
    modules: bundledModules(names, profile),
    bdbs,
  });
}
