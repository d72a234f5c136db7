/** ECs from a file: for tests, the offline sandbox and places without an API server. */
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { listClusters } from "../../plugin/domain/rules/clusters";
import { UsageError } from "../../plugin/domain/base/errors";
import type { Names } from "../../plugin/domain/names/names";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import { decodeText } from "../../plugin/adapters/kubernetes/text/encoding";
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { ByNamespace, type ClusterKey, type ClusterService, type SourceContext } from "./clusters";
import { type FolderWatch, watchFolder } from "../certificate/served";
import { errorText } from "../log";
import { UnknownPolicies } from "./unknown-policies";

const pollMs = 2_000;

/** Serves what the file held when it was last readable; unreadable at start is a UsageError. */
export class FileClusters implements ClusterService {
  private content: string;
  private clusters: readonly ClusterFacts[];
  private known: ByNamespace;
  private complaint = "";
  private watch: FolderWatch | undefined;
  private heard = performance.now();
  private reads = 0;
  private stamp = "";
  private readonly policies: UnknownPolicies;

  constructor(
    private readonly path: string,
    private readonly context: SourceContext,
  ) {
    try {
      this.content = decodeText(readFileSync(path));
      this.clusters = parseClusters(this.content, context.names);
      this.known = new ByNamespace(this.clusters);
    } catch (cause) {
      const because = errorText(cause);
      throw new UsageError(`cannot use ${path}: ${because}`, { cause });
    }
    this.policies = new UnknownPolicies(context);
    this.policies.lookAtAll(this.clusters);
  }

  start(): void {
    const look = () => {
      this.refresh();
    };
    this.watch = watchFolder(dirname(this.path), { pollMs, look });
  }

  stop(): void {
    this.watch?.stop();
  }

  hasSynced(): boolean {
    return true;
  }

  in(namespace: string): ReadonlyMap<string, ClusterFacts> {
    return this.known.in(namespace);
  }

  count(): number {
    return this.clusters.length;
  }

  ageMs(): number {
    return performance.now() - this.heard;
  }

  relists(): number {
    return this.reads;
  }

  live({ namespace, name }: ClusterKey): Promise<ClusterFacts | undefined> {
    this.refresh();
    return Promise.resolve(this.in(namespace).get(name));
  }

  liveIn(namespace: string): Promise<readonly ClusterFacts[]> {
    this.refresh();
    return Promise.resolve([...this.in(namespace).values()]);
  }

  /** Reads the file again when it differs; a broken one changes nothing but the log. */
  refresh(): void {
    const { log, names } = this.context;
    try {
      const before = this.stamp;
      this.stamp = readStamp(this.path);
      const content = this.stamp === before ? this.content : decodeText(readFileSync(this.path));
      if (content === this.content) {
        this.heard = performance.now();
        return;
      }
      this.clusters = parseClusters(content, names);
      this.known = new ByNamespace(this.clusters);
      this.heard = performance.now();
      this.reads += 1;
      this.content = content;
      this.complaint = "";
      log.info({ count: this.clusters.length }, "clusters read again");
      this.policies.lookAtAll(this.clusters);
    } catch (error) {
      this.stamp = "";
      const because = errorText(error);
      if (because !== this.complaint) log.error({ because }, "clusters kept, the file is broken");
      this.complaint = because;
    }
  }
}

/** A file that was touched this lately may change again within the same tick of its clock. */
const settledMs = 1_000;

/** Equal as long as a file is the same; none for one that is too young to tell. */
function readStamp(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  const isYoung = Date.now() - Math.max(mtimeMs, ctimeMs) < settledMs;
  return isYoung ? String(Math.random()) : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** The ECs of a text: YAML or JSON, one object, a list, or several documents. Throws what is wrong with it. */
export function parseClusters(content: string, names: Names): readonly ClusterFacts[] {
  return listClusters(parseDocuments(content, "the file", "refused in YAML"), names);
}
