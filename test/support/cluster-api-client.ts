/** A client of the REST API for tests: an EC with its credentials, and the CA in a file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiFlags, connectClusterApi } from "../../plugin/adapters/rest-api/connect";
import type { OnSlow } from "../../plugin/adapters/http/slow";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames, type Names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { anObject } from "./builders";
import type { KeptCluster } from "./kept-cluster";
import { makeWorld } from "./world";
import { ManualClock } from "./manual-clock";
import { aFolder } from "./a-folder";

/** Who the client is, and what it is told. */
export interface ClientWish {
  readonly url?: string;
  readonly caPem?: string;
  readonly username?: string;
  readonly password?: string;
  readonly flags?: Partial<ApiFlags>;
  readonly ec?: KubeObject;
  readonly cluster?: KubeClient;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  readonly requestTimeoutMs?: number;
  readonly warn?: (text: string) => void;
  readonly onSlow?: OnSlow;
}

/** The EC of tests. */
export function anApiEc(spec: object = {}, names: Names = defaultNames): KubeObject {
  const { group, version, ec } = names;
  const resource = { group, version, kind: ec.kind, plural: ec.plural };
  return anObject(resource, { name: "ec", namespace: "engine" }, { spec: { nodes: 3, ...spec } });
}

/** The Secret with its credentials. */
export function anApiSecret(username: string, password: string, name = "ec"): KubeObject {
  const { secretItems } = defaultNames;
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const data = {
    [secretItems.username]: encoded(username),
    [secretItems.password]: encoded(password),
  };
  return anObject(kinds.secret, { name, namespace: "engine" }, { data });
}

/** A file with a CA. */
export function aCaFile(pem: string): string {
  const file = join(aFolder("api-ca"), "ca.pem");
  writeFileSync(file, pem);
  return file;
}

/** A cluster that holds the credentials and nothing else. */
export function aCredentialsCluster(username: string, password: string): KeptCluster {
  return makeWorld({ objects: [anApiSecret(username, password)] }).cluster;
}

/** A connected client; nothing is sent before its first call. */
export function anApiClient(wish: ClientWish = {}) {
  const { username = "admin", password = "s3cret", requestTimeoutMs } = wish;
  const usual = { ec: anApiEc(), env: {}, clock: new ManualClock(), warn: () => undefined };
  return connectClusterApi({
    ...usual,
    cluster: aCredentialsCluster(username, password),
    names: defaultNames,
    ...wish,
    flags: flagsOf(wish),
    requestTimeoutMs,
  });
}

function flagsOf({ url, caPem, flags }: ClientWish): ApiFlags {
  return {
    insecure: false,
    ...(url !== undefined && { url }),
    ...(caPem !== undefined && { ca: aCaFile(caPem) }),
    ...flags,
  };
}
