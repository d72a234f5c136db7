/** What making and judging a certificate share: the tools they are given and the parts of a report. */
import type { CertificateFacts, PemFacts } from "../domain/certificate-facts";
import { EngineError, type ExitCode } from "../domain/errors";
import { kinds } from "../domain/kinds";
import type { Names } from "../domain/names";
import type { KubeObject, Ref } from "../domain/objects";
import type { Clock } from "./ports";
import type { CertificateReport, Event, Report } from "./report";

/** A new certificate and its private key, both PEM. */
export interface NewPair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** The certificate library, as a port. */
export interface Certificates {
  readSecretCertificate(secret: KubeObject, names: Names): CertificateFacts;
  readPemCertificate(pem: string): CertificateFacts;
  /** Either form of a file; UsageError when it is neither. */
  parseCertificateFile(text: string, names: Names): { secret: KubeObject } | { pem: string };
  generatePair(request: {
    readonly namespace: string;
    readonly names: Names;
    readonly now: number;
    readonly years: number;
  }): Promise<NewPair>;
}

/** Which run this is, as the report shows it. */
export type RunIdentity = NonNullable<Report["run"]>;

/** What both commands need, whatever they judge. */
export interface CertDeps {
  readonly clock: Clock;
  readonly names: Names;
  readonly certificates: Certificates;
  readonly event: (event: Event) => void;
}

/** The command stops here: nothing after this point was written. */
export class CertificateStop extends EngineError {
  readonly code = "CERTIFICATE";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, hint: string) {
    super(message, { hint });
    this.exitCode = exitCode;
  }
}

/** A Secret of a namespace as the Cluster port addresses it. */
export function secretRef(namespace: string, name: string): Ref {
  return { resource: kinds.secret, namespace, name };
}

/** The report's part about a certificate; `secret` is `namespace/name` or a file. */
export function certificateReport(secret: string, { leaf }: PemFacts): CertificateReport[] {
  if (leaf === undefined) return [];
  return [{ secret, sha256: leaf.sha256, notAfter: leaf.notAfter, san: leaf.san }];
}
