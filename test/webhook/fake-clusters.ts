/** ECs in memory: what is known and what is true can differ, and reading the truth can fail. */
import { projectCluster } from "../../plugin/domain/rules/clusters";
import { defaultNames } from "../../plugin/domain/names/names";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import {
  ByNamespace,
  type ClusterKey,
  type Clusters,
  ClustersUnreadable,
} from "../../webhook/clusters/clusters";

export interface ClusterParts {
  readonly namespace?: string;
  readonly name?: string;
  readonly resourceVersion?: string;
  readonly policy?: unknown;
  readonly versions?: readonly string[];
  readonly userModules?: readonly string[];
  /** In the status: names and display names. */
  readonly installed?: readonly (readonly [name: string, displayName: string])[];
}

/** An EC as the API server sends it. */
export function anEc(parts: ClusterParts = {}) {
  const { namespace = "engine", name = "ec", resourceVersion = "1", policy } = parts;
  return {
    apiVersion: "app.engine.com/v1",
    kind: "EngineEnterpriseCluster",
    metadata: { namespace, name, uid: `uid-${namespace}-${name}`, resourceVersion },
    spec: {
      ...(policy === undefined ? {} : { engineUpgradePolicy: policy }),
      userDefinedModules: (parts.userModules ?? []).map((module) => ({ name: module })),
    },
    status: {
      bundledDatabaseVersions: (parts.versions ?? []).map((version) => ({
        dbType: "engine",
        version,
      })),
      modules: (parts.installed ?? []).map(([name, displayName]) => ({ name, displayName })),
    },
  };
}

export function clusterFacts(parts: ClusterParts = {}): ClusterFacts {
  const facts = projectCluster(anEc(parts), defaultNames);
  if (facts === undefined) throw new Error("the builder made no EC");
  return facts;
}

export class FakeClusters implements Clusters {
  isSynced = true;
  known: readonly ClusterFacts[] = [];
  /** The same as what is known, unless set. */
  truth: readonly ClusterFacts[] | undefined;
  unreadable: Error | undefined;
  /** When set, a live read ends only with its signal. */
  hangs = false;
  /** Thrown by whoever asks what is known, when set. */
  crash: unknown;
  readonly asked: string[] = [];

  hasSynced(): boolean {
    if (this.crash !== undefined) throw this.crash as Error;
    return this.isSynced;
  }

  in(namespace: string): ReadonlyMap<string, ClusterFacts> {
    return new ByNamespace(this.known).in(namespace);
  }

  count(): number {
    return this.known.length;
  }

  ageMs(): number {
    return 1_500;
  }

  async live({ namespace, name }: ClusterKey, signal: AbortSignal) {
    const all = await this.read(`get ${namespace}/${name}`, signal);
    return all.find((ec) => ec.namespace === namespace && ec.name === name);
  }

  async liveIn(namespace: string, signal: AbortSignal): Promise<readonly ClusterFacts[]> {
    const all = await this.read(`list ${namespace}`, signal);
    return all.filter((ec) => ec.namespace === namespace);
  }

  private async read(question: string, signal: AbortSignal): Promise<readonly ClusterFacts[]> {
    this.asked.push(question);
    if (this.hangs) {
      await new Promise<never>((_resolve, reject) => {
        const end = () => {
          reject(new ClustersUnreadable("no answer", { cause: signal.reason }));
        };
        if (signal.aborted) end();
        signal.addEventListener("abort", end);
      });
    }
    if (this.unreadable !== undefined) throw this.unreadable;
    return this.truth ?? this.known;
  }
}
