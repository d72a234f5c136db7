/** The certificate commands, as data. */
import type { CertCreateFlags, CertInspectFlags } from "../commands/context";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";

/** `cert create`. */
export const certCreate: CommandEntry = {
  path: "cert create",
  kind: "CertCreate",
  group: groups.certificates,
  summary: "Make the key pair of the admission webhook as a Secret",
  description: `Make the key pair of the admission webhook and write it as the Secret admission-tls.

For the companion webhook only: an operator makes its own. An existing Secret is replaced only with --replace,
and saved first. The key is never printed.`,
  examples: [
    { does: "Make a pair that is valid for 5 years", line: "cert create -n engine-admission" },
    { does: "Replace the pair in use", line: "cert create -n engine-admission --replace --yes" },
  ],
  flags: [
    { name: "replace", help: "Replace an existing Secret; it is saved first" },
    { name: "years", value: "N", fallback: "5", help: "Years until it expires" },
    {
      name: "from-secret",
      value: "NAME",
      help: "Take the pair from another Secret, as the copy that --replace saved",
    },
  ],
  cluster: true,
  prepare: prepare<CertCreateFlags>(
    (read) => {
      const fromSecret = read.text("from-secret");
      return {
        replace: read.on("replace"),
        years: read.count("years", { min: 1, max: 30, fallback: 5 }),
        ...(fromSecret !== undefined && { fromSecret }),
      };
    },
    async () => ({ run: (await import("../commands/cert.ts")).runCertCreate }),
  ),
};

/** `cert inspect`. */
export const certInspect: CommandEntry = {
  path: "cert inspect",
  kind: "CertInspect",
  group: groups.certificates,
  summary: "Judge the key pair of the admission webhook",
  description: `Judge the key pair of the admission webhook: names, dates, chain, and whether key and certificate fit.`,
  examples: [
    { does: "Judge the Secret in the cluster", line: "cert inspect -n engine" },
    { does: "Judge a file, without a cluster", line: "cert inspect -f cert.pem" },
  ],
  flags: [
    {
      name: "filename",
      short: "f",
      value: "FILE",
      file: true,
      help: "Secret or certificate to judge instead of the cluster's; - for stdin",
    },
  ],
  cluster: true,
  settles: true,
  reads: () => true,
  prepare: prepare<CertInspectFlags>(
    (read) => {
      const file = read.text("filename");
      return file === undefined ? {} : { file };
    },
    async () => ({ run: (await import("../commands/cert.ts")).runCertInspect }),
  ),
};
