/** `cert create` and `cert inspect`: flags to options, wired to the libraries that they need (S27). */
import { generatePair, readPemCertificate, readSecretCertificate } from "../adapters/certificate";
import { parseCertificateFile } from "../adapters/certificate-file";
import { renderDocuments } from "../adapters/yaml";
import { createCertificate } from "../run/cert-create";
import { inspectCertificate, type InspectSource } from "../run/cert-inspect";
import type { CertDeps } from "../run/cert-parts";
import { journalOf } from "../run/record";
import type { Report } from "../run/report";
import type { CertCreateFlags, CertInspectFlags, CommandContext } from "./context";
import { engineCommand } from "./kubectl-command";

/** Makes the pair, or puts a saved one back; every expected end comes back as a report. */
export async function runCertCreate(
  context: CommandContext,
  _args: readonly string[],
  flags: CertCreateFlags,
): Promise<Report> {
  const { names, options, run, signal } = context;
  return createCertificate(
    {
      ...depsOf(context),
      cluster: await context.connect(),
      signal,
      journal: journalOf(await context.home(), run.id),
      ask: context.ask,
      yaml: renderDocuments,
      command: engineCommand(options),
    },
    { ...flags, run, fieldManager: options.fieldManager ?? names.fieldManager },
  );
}

/** Judges the Secret of the cluster, or a file without any cluster. */
export async function runCertInspect(
  context: CommandContext,
  _args: readonly string[],
  flags: CertInspectFlags,
): Promise<Report> {
  const { options, run } = context;
  const source = await sourceOf(context, flags);
  const { namespace } = options;
  return inspectCertificate(depsOf(context), source, {
    run,
    ...(namespace !== undefined && { namespace }),
  });
}

async function sourceOf(
  context: CommandContext,
  { file }: CertInspectFlags,
): Promise<InspectSource> {
  if (file !== undefined) {
    return { from: "file", path: file, text: await context.readInput(file) };
  }
  const cluster = await context.connect();
  return { from: "cluster", cluster, signal: context.signal, yaml: renderDocuments };
}

function depsOf({ clock, names, event }: CommandContext): CertDeps {
  const certificates = {
    generatePair,
    readPemCertificate,
    readSecretCertificate,
    parseCertificateFile,
  };
  return { clock, names, event, certificates };
}
