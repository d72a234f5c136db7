/** What `cert create` and `cert inspect` take. */
import { webhookSecret, namespace, companionNamespace, text } from "../../domain/names/text";
import { countOr } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";

/** Options of `cert create`. */
export type CertCreateFlags = FlagsOf<typeof certCreate>;

/** Options of `cert inspect`. */
export type CertInspectFlags = FlagsOf<typeof certInspect>;

/** `cert create`. */
export const certCreate = spec({
  path: "cert create",
  kind: "CertCreate",
  group: groups.certificates,
  summary: "Create the key pair of the admission webhook as a Secret",
  description: text`Create the key pair of the admission webhook and write it as the Secret ${webhookSecret}.

For the companion webhook only: an operator makes its own. An existing Secret is replaced only with --replace,
and saved first. The key is never printed.`,
  examples: {
    "Create a pair that is valid for 5 years": text`cert create -n ${companionNamespace}`,
    "Replace the pair in use": text`cert create -n ${companionNamespace} --replace --yes`,
  },
  flags: {
    replace: { help: "Replace an existing Secret; it is saved first" },
    years: { ...countOr(5, 1, 30), help: "Years until it expires" },
    "from-secret": {
      value: "NAME",
      help: "Take the pair from another Secret, as the copy that --replace saved",
    },
  },
  cluster: true,
  writes: true,
});

/** `cert inspect`. */
export const certInspect = spec({
  path: "cert inspect",
  kind: "CertInspect",
  group: groups.certificates,
  summary: "Inspect the key pair of the admission webhook",
  description: `Inspect the key pair of the admission webhook: names, dates, chain, and whether key and certificate fit.`,
  examples: {
    "Inspect the Secret in the cluster": text`cert inspect -n ${namespace}`,
    "Inspect a file, without a cluster": "cert inspect -f cert.pem",
  },
  flags: {
    filename: {
      key: "file",
      short: "f",
      value: "FILE",
      file: true,
      help: "Secret or certificate to inspect instead of the cluster's; - for stdin",
    },
  },
  cluster: true,
  settles: true,
  reads: () => true,
});
