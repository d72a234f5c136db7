/**
 * The one model behind text, JSON and YAML output (cli contract, Output). A command fills a
 * Report through a Recorder; reporters render events as they come and the document at the end.
 */
import type { Awaited } from "../domain/base/awaited";
import type { ExitCode } from "../domain/base/errors";
import type { Finding, Severity } from "../domain/base/findings";
import type { PlannedWrite, StepAction, Result } from "../domain/kube/planned-write";
import type { Login } from "../ports/kubernetes";
import type { PartId } from "../domain/base/part-ids";
import type { Area } from "../domain/checks/check";
import type { CheckVerdict } from "../domain/checks/judge";

export type { PartId } from "../domain/base/part-ids";
export type { PlannedWrite } from "../domain/kube/planned-write";

export interface StepReport {
  /** @minimum 1 */
  readonly n: number;
  /** @minLength 1 */
  readonly id: string;
  readonly action: StepAction;
  readonly object: string;
  readonly result: Result;
  readonly why: string;
  /** The numbers of the specification behind it: `S27, S28`. */
  readonly source?: string;
  /** @minimum 0 */
  readonly ms: number;
  /**
   * Milliseconds from the beginning of the run to that of the step; absent of one that is only planned.
   * @minimum 0
   */
  readonly at?: number;
  /** Of a planned write: all that a person decides by. */
  readonly write?: PlannedWrite;
}

export interface ProbeReport {
  readonly phase: string;
  readonly accept: { readonly ok: number; readonly of: number };
  readonly deny: { readonly ok: number; readonly of: number; readonly by: string };
}

export interface CertificateReport {
  readonly secret: string;
  /**
   * Fingerprint of the DER certificate, lower-case hex.
   * @pattern ^[0-9a-f]{64}$
   */
  readonly sha256: string;
  /**
   * RFC 3339.
   * @pattern ^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$
   */
  readonly notAfter: string;
  readonly san: readonly string[];
}

/** A stretch of a run, both in milliseconds from its beginning on. */
export interface Stretch {
  /** @minimum 0 */
  readonly at: number;
  /** @minimum 0 */
  readonly ms: number;
}

/** From the first wrong answer to the next right one. */
export interface GapWindow extends Stretch {
  readonly is: "bypass" | "outage";
  /**
   * From the first wrong answer to the last one.
   * @minimum 0
   */
  readonly leastSeconds: number;
  /**
   * From the last right answer before it to the first one after it.
   * @minimum 0
   */
  readonly mostSeconds: number;
  /** How many are told as this one; absent: one. */
  readonly holes?: number;
  /** No right answer was seen before it: it may be older. */
  readonly isOlder?: true;
  /** No right answer was seen after it: it may last longer. */
  readonly isOpen?: true;
}

export interface UnobservedStretch extends Stretch {
  readonly is: "bypass" | "outage";
  readonly because: string;
}

/** Who stands behind the webhook's Service. */
export interface ReplicaReport {
  /** Ready endpoints; absent: they could not be read. */
  readonly ready?: number;
  /** Which one answered a probe cannot be seen through the API server. */
  readonly note: string;
  /** Each ready pod, asked once by its own address. */
  readonly asked?: readonly {
    readonly pod: string;
    /** `unreached`: no port of it could be forwarded, which says nothing of the pod. */
    readonly is: "answers" | "refuses" | "fails" | "unreached";
    readonly because?: string;
  }[];
}

export interface GapReport {
  readonly bypassSeconds: number;
  readonly outageSeconds: number;
  /** How the seconds were observed. */
  readonly method: string;
  /** The stretches that the seconds are the sums of. */
  readonly windows?: readonly GapWindow[];
  /**
   * How long it was watched.
   * @minimum 0
   */
  readonly seconds?: number;
  /**
   * How many probes were sent.
   * @minimum 0
   */
  readonly probes?: number;
  /**
   * The longest that one of them took, in milliseconds.
   * @minimum 0
   */
  readonly slowestMs?: number;
  /** What was not observed: nothing is known of these stretches. */
  readonly unobserved?: readonly UnobservedStretch[];
  readonly replicas?: ReplicaReport;
  /** Answers to the probes; those of one twin that say the same in a row are one. */
  readonly answers?: readonly (Stretch & {
    /** Of the edit that has to pass, or of its twin that has to be refused. */
    readonly twin: "accept" | "deny";
    readonly is: "accepted" | "refused" | "failed" | "other";
    /** The entry that refused or failed. */
    readonly by?: string;
  })[];
}

/** The renewal of one pod, as far as it was seen. */
export interface PodReport extends Stretch {
  readonly name: string;
  readonly result: "done" | "failed";
}

/** What became of one namespace; without `rules` its role gives what it gave. */
export interface NamespaceReport {
  readonly name: string;
  readonly result: Result;
  readonly findings?: readonly Finding[];
  /** Rights that the change gives and takes. */
  readonly rules?: { readonly gained: readonly string[]; readonly lost: readonly string[] };
  /** Accounts that the change binds and unbinds. */
  readonly subjects?: { readonly gained: readonly string[]; readonly lost: readonly string[] };
}

export interface ExitReport {
  readonly code: ExitCode;
  /** @minLength 1 */
  readonly reason: string;
  readonly next?: string;
  /** With 6: all that was not done, where nothing failed and only these were left as they are. */
  readonly leftOut?: readonly string[];
}

/** A file that holds what was there before a write. */
export interface BackupReport {
  readonly object: string;
  readonly file: string;
  /** Puts it back; absent: it is kept for reference, as `lost` says. */
  readonly command?: string;
  /** How long the command holds, for a sentence: "while …", "until …". */
  readonly holds?: string;
  /** What has happened since, so that it cannot be put back. */
  readonly lost?: string;
}

/** Who ran it, how and with what: kept where a page is written of the run. */
interface Origin extends Partial<Login> {
  readonly command: string;
  /** Of this program, with the commit that it was built from. */
  readonly version: string;
  /** RFC 3339. */
  readonly endedAt: string;
  /** The user's name as the API server knows it: with impersonation that of the other one. */
  readonly identity?: string;
}

/** The JSON document; parts that a command has no use for are absent. */
export interface Report {
  readonly apiVersion: "cli.engine.com/v1";
  readonly kind: string;
  /** Absent where no cluster is reached, and on wrong usage. */
  readonly run?: {
    readonly id: string;
    readonly startedAt: string;
    readonly dryRun: "none" | "client" | "server";
  };
  readonly target?: { readonly server: string; readonly namespace: string };
  /** The release that was read: the digest pins it next time. */
  readonly release?: {
    /** Without credentials and query. */
    readonly source: string;
    /**
     * Of the archive's bytes; of a folder, of what sha256sum prints for its files.
     * @pattern ^[0-9a-f]{64}$
     */
    readonly sha256: string;
  };
  readonly certificate?: CertificateReport;
  readonly steps?: readonly StepReport[];
  readonly probes?: readonly ProbeReport[];
  readonly gap?: GapReport;
  readonly pods?: readonly PodReport[];
  readonly namespaces?: readonly NamespaceReport[];
  readonly findings?: readonly Finding[];
  /** What was replaced or deleted, the last write first: what is put back is put back in this order. */
  readonly backups?: readonly BackupReport[];
  /** What the user lacks, and the Roles and bindings to ask for, as YAML. */
  readonly permissions?: {
    readonly missing: readonly string[];
    readonly manifest: string;
    /** The user has nothing of what the manifest gives. */
    readonly nothingHeld?: true;
  };
  /** What only one command has to say (certificate checked, names, version). */
  readonly details?: unknown;
  readonly origin?: Origin;
  readonly exit: ExitReport;
}

/** What happens while a command runs; reporters show it, JSON Lines prints it. */
export type Event =
  | { readonly type: "step"; readonly step: StepReport }
  | {
      readonly type: "waiting";
      readonly on: Awaited;
      readonly seconds: number;
      /** What moved last and when, where an object reports it. */
      readonly last?: string;
    }
  | { readonly type: "probe"; readonly probe: ProbeReport }
  | { readonly type: "finding"; readonly finding: Finding }
  | { readonly type: "warning"; readonly text: string }
  /** What begins; as a part of longer work with its number, which stays in sight until the next one. */
  | {
      readonly type: "note";
      readonly text: string;
      readonly part?: string;
      /** The numbers of the specification behind it. */
      readonly source?: string;
    };

/** Hears the events of a run and its end. */
export interface Reporter {
  event(event: Event): void;
  end(report: Report): void;
}

/** One object of a report. */
export interface JudgedObject {
  /** Kind, namespace and name. */
  readonly object: string;
  readonly location?: Finding["location"];
  readonly result: "allowed" | "refused" | "not evaluated";
}

/** `details` of a document of kind Validation or Audit. */
export interface RulesDetails {
  readonly objects: readonly JudgedObject[];
  /** The ECs that were known, namespace/name. */
  readonly clusters: readonly string[];
  /** Rules that apply only to updates, and had none to check. */
  readonly withoutChange: readonly string[];
}

/** What became of one part. */
export interface PartReport {
  readonly part: PartId;
  readonly title: string;
  readonly result: Result;
  readonly ms: number;
  /** Milliseconds from the beginning of the run on; absent of a part that was not begun. */
  readonly at?: number;
  readonly why: string;
}

/** One check of a document. */
export interface CheckLine {
  readonly code: string;
  readonly area: Area;
  readonly title: string;
  readonly severity: Severity;
  readonly source: string;
  /** Absent where the checks are only listed. */
  readonly verdict?: CheckVerdict;
  /** Why it was not checked. */
  readonly because?: string;
}
