/**
 * The cluster's REST API, played: HTTPS on a loopback port, over a store that others may share
 * (S4–S8, S75–S120, C22). What is due by its clock is done before each call.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { makePair, type Pair } from "../adapters/certificate-pair";
import type { Names } from "../domain/names";
import type { Clock } from "../run/ports";
import { ApiFaults } from "./cluster-api/faults";
import { clusterApiApp, type SeenCall } from "./cluster-api/app";
import type { WorkTimes } from "./cluster-api/model";
import type { ApiProfile } from "./cluster-api/profiles";
import type { ClusterStore } from "./cluster-api/store";
import { Callers } from "./cluster-api/users";
import { Works } from "./cluster-api/work";

/** What is played. */
export interface ClusterApiWish {
  readonly store: ClusterStore;
  readonly profile: ApiProfile;
  readonly names: Names;
  readonly clock: Clock;
  readonly times?: WorkTimes;
  /** Absent: any free one. */
  readonly port?: number;
  /** Absent: one is made, for the cluster's name and this machine. */
  readonly pair?: Pair;
  readonly uploadLimit?: number;
}

/** The service, until it is closed. */
export interface PlayedClusterApi {
  readonly url: string;
  readonly port: number;
  /** The one certificate to trust. */
  readonly caPem: string;
  readonly store: ClusterStore;
  readonly works: Works;
  readonly faults: ApiFaults;
  /** Calls in their order, without credentials and bodies. */
  readonly calls: readonly SeenCall[];
  close(): Promise<void>;
}

const loopback = "127.0.0.1";
const day = 24 * 3_600_000;
const usualUploadLimit = 256 * 1024 * 1024;

/** Opens the service; only this machine reaches it. */
export async function openClusterApi(wish: ClusterApiWish): Promise<PlayedClusterApi> {
  const { store, profile, names, clock } = wish;
  const works = new Works(store, clock, wish.times);
  const callers = new Callers(store, clock, profile.basic);
  const faults = new ApiFaults();
  const calls: SeenCall[] = [];
  const uploadLimit = wish.uploadLimit ?? usualUploadLimit;
  const site = { store, works, clock, names, profile, callers, uploadLimit };
  const { certPem, keyPem } = wish.pair ?? (await pairFor(store.name));
  const app = clusterApiApp({ site, faults, calls });
  const server = createServer({ cert: certPem, key: keyPem }, app);
  server.listen(wish.port ?? 0, loopback);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `https://${loopback}:${port}`;
  return { url, port, caPem: certPem, store, works, faults, calls, close: () => closed(server) };
}

/** A pair for a cluster's name and this machine's; one whose time is over, where that is asked for. */
export async function pairFor(cluster: string, expired = false): Promise<Pair> {
  // clients judge by real time, whatever the service's clock says
  const now = Date.now();
  return await makePair({
    commonName: cluster,
    hosts: [cluster, "localhost", loopback],
    notBefore: now - 2 * day,
    notAfter: expired ? now - day : now + 365 * day,
  });
}

async function closed(server: Server): Promise<void> {
  const end = once(server, "close");
  server.close();
  server.closeAllConnections();
  await end;
}
