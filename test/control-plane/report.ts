import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020";
import { repositoryRoot } from "./pins";

/** The document of a run, as far as tests read it; spelled out here and not taken from the product. */
export interface ReportDocument {
  readonly namespaces?: readonly {
    readonly name: string;
    readonly result: string;
    readonly findings?: readonly { readonly code: string }[];
  }[];
  readonly apiVersion: string;
  readonly kind: string;
  readonly run?: { readonly id: string; readonly startedAt: string; readonly dryRun: string };
  readonly target?: { readonly server: string; readonly namespace: string };
  readonly certificate?: {
    readonly secret: string;
    readonly sha256: string;
    readonly notAfter: string;
    readonly san: readonly string[];
  };
  readonly steps?: readonly {
    readonly n: number;
    readonly id: string;
    readonly action: string;
    readonly object: string;
    readonly result: string;
    readonly why: string;
    readonly ms: number;
  }[];
  readonly probes?: readonly {
    readonly phase: string;
    readonly accept: { readonly ok: number; readonly of: number };
    readonly deny: { readonly ok: number; readonly of: number; readonly by: string };
  }[];
  readonly gap?: {
    readonly bypassSeconds: number;
    readonly outageSeconds: number;
    readonly method: string;
  };
  readonly findings?: readonly {
    readonly code: string;
    readonly severity: string;
    readonly object?: string;
    readonly field?: string;
    readonly cause: string;
    readonly fix: string;
    readonly source: string;
  }[];
  readonly backups?: readonly { readonly file: string; readonly command: string }[];
  readonly details?: unknown;
  readonly permissions?: { readonly missing: readonly string[]; readonly manifest: string };
  readonly exit: { readonly code: number; readonly reason: string; readonly next?: string };
}

export const schemaFile = join(repositoryRoot, "plugin", "output", "report.schema.json");

/** What the published schema finds wrong with a document; nothing while there is no schema. */
export function schemaProblems(document: unknown): readonly string[] {
  const validate = (validator ??= compile());
  validate(document);
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath}: ${message ?? ""}`,
  );
}

type Validate = ((document: unknown) => unknown) & {
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
};

let validator: Validate | undefined;

function compile(): Validate {
  if (!existsSync(schemaFile)) {
    return () => true;
  }
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as { readonly $schema?: string };
  const recent = schema.$schema?.includes("2020-12") === true;
  const ajv = recent ? new Ajv2020({ strict: false }) : new Ajv({ strict: false });
  return ajv.compile(schema) as Validate;
}

/** The findings that stop a run. */
export function errorsIn({ findings = [] }: ReportDocument): readonly string[] {
  return findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

/** Those that it only mentions. */
export function warningsIn({ findings = [] }: ReportDocument): readonly string[] {
  return findings.filter(({ severity }) => severity === "warning").map(({ code }) => code);
}
