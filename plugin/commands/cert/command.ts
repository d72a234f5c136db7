/** `cert create` and `cert inspect`: flags to options, wired to the libraries that they need (S27). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { certNeeds } from "./needs";
import { generatePair } from "../../adapters/certificate-pair";
import {
  parseCertificateFile,
  readPemCertificate,
  readSecretCertificate,
} from "../../adapters/certificate";
import { createCertificate } from "./create";
import { type Certificates, inspectCertificate } from "../../readers/certificate";
import { Recorder } from "../../kernel/recorder";
import type { Report } from "../../kernel/report";
import type { CommandContext } from "../../cmdutil/context";
import { engineCommand, kubectlCommand } from "../../cmdutil/kubectl-command";
import { runPorts, writeOptions } from "../../cmdutil/run-ports";
import type { CertCreateFlags, CertInspectFlags } from "./flags";

const certificates: Certificates = {
  generatePair,
  readPemCertificate,
  readSecretCertificate,
  parseCertificateFile,
};

/** Makes the pair, or puts a saved one back; every expected end comes back as a report. */
export async function runCertCreate(
  context: CommandContext,
  _args: readonly string[],
  flags: CertCreateFlags,
): Promise<Report> {
  const { options, run } = context;
  const ports = await runPorts(context, "CertCreate");
  return await createCertificate(
    { ...ports, certificates, command: kubectlCommand(options), engine: engineCommand(options) },
    { ...flags, runId: run.id, ...writeOptions(context) },
  );
}

/** Judges the Secret of the cluster, or a file without any cluster. */
export async function runCertInspect(
  context: CommandContext,
  _args: readonly string[],
  { file }: CertInspectFlags,
): Promise<Report> {
  const { options, run, clock, names, event, needs } = context;
  const { namespace } = options;
  if (file === undefined) {
    const ports = await runPorts(context, "CertInspect");
    return await inspectCertificate({ ...ports, certificates }, { from: "cluster", ...ports });
  }
  const recorder = new Recorder({ kind: "CertInspect", run }, { clock, event, needs });
  const text = await context.readInput(file);
  return await inspectCertificate(
    { clock, names, certificates, recorder },
    { from: "file", path: file, text, namespace },
  );
}

/** What `cert create` may need. */
export function certRole({
  context: { names },
  flags,
  namespace,
}: RoleWish<CertCreateFlags>): Needs {
  return certNeeds({ ...flags, names, namespace });
}
