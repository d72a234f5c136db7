/** What a rehearsal starts from: the objects of a cluster as they were when they were read. */
import type { Finding } from "../../domain/findings";
import type { KubeObject } from "../../domain/objects";
import type { User } from "../model";

/** The key pair of a namespace's webhook, PEM, for whoever serves it in the rehearsal. */
export interface ServedPair {
  readonly namespace: string;
  readonly cert: string;
  readonly key: string;
}

/** A cluster's objects, and what a person must know about how they were read. */
export interface Source {
  readonly objects: readonly KubeObject[];
  /** Pairs that fit the Secrets among the objects. */
  readonly pairs: readonly ServedPair[];
  readonly warnings: readonly string[];
  /** What it does not report, where that may matter. */
  readonly findings?: readonly Finding[];
  /** Of Kubernetes, "v1.33.4"; absent: not told. */
  readonly version?: string;
  readonly user?: User;
  /** "folder ./dump", "context prod of ~/.kube/config". */
  readonly described: string;
  readonly namespace?: string;
}

/** `EngineEnterpriseDatabase team-1/db-7`, for warnings and problems. */
export function labelOf({ kind, metadata }: KubeObject): string {
  const { namespace, name = "" } = metadata;
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The first few of many names: "a, b, c and 7 more". */
export function listed(names: readonly string[]): string {
  const shown = 5;
  const rest = names.length - shown;
  return names.slice(0, shown).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** "1 object", "2 objects". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
