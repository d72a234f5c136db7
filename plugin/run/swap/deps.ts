/** What a swap is given: ports, options, and the words of the person who runs it. */
import type { KubeObject } from "../../domain/objects";
import type { CertificateReport } from "../report";
import type { Finding } from "../../domain/findings";
import type { Pair } from "../../domain/webhook/probe";
import type { AskingPorts } from "../run-ports";

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
  /** The template is the one that the tool ships. */
  readonly shippedTemplate?: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly takeOver: boolean;
  readonly takeFields: readonly string[];
  readonly takeTemplateSelectors: boolean;
  readonly takeTemplateRules: boolean;
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
export interface SwapDeps extends AskingPorts {
  /** Judges the Secret (certificates are an adapter's matter). */
  readonly judgeSecret: (secret: KubeObject) => JudgedSecret;
  /** A name for the probe's objects that nothing else has. */
  readonly probeName: string;
}
