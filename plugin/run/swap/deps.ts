/** What a swap is given: ports, options, and the words of the person who runs it. */
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../domain/objects";
import type { CertificateReport } from "../report";
import type { Finding } from "../../domain/findings";
import type { Pair } from "../../domain/webhook/twins";
import type { Clock, Cluster } from "../ports";
import type { Journal } from "../record";
import type { Recorder } from "../recorder";

/** What the Secret was found to be: a CA to use, or the findings that stand against it. */
export interface JudgedSecret {
  /** The Secret's item as stored, base64. */
  readonly caBundle: string;
  readonly certificate: CertificateReport | undefined;
  readonly findings: readonly Finding[];
}

/** The flags of the command, judged. */
export interface SwapOptions {
  readonly namespace: string;
  readonly template: KubeObject;
  readonly dryRun: "none" | "client" | "server";
  readonly takeOver: boolean;
  readonly takeFields: readonly string[];
  readonly takeTemplateSelectors: boolean;
  readonly fieldManager: string;
  readonly waitSecretMs: number;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly probe: boolean;
  /** Planned before the operator is ready: whether anything answers is judged when it is. */
  readonly assumeReady?: true;
  /** A pair of one's own in place of the table's. */
  readonly probePair: Pair | undefined;
}

/** The world around a swap. */
export interface SwapDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Judges the Secret (certificates are an adapter's matter). */
  readonly judgeSecret: (secret: KubeObject) => JudgedSecret;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
  /** A name for the probe's objects that nothing else has. */
  readonly probeName: string;
}
