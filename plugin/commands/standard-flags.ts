/** The flags that every command takes: kubectl's own under their own names, then the tool's. */

import type { ProductKind } from "../domain/names";

/** One flag as data: the parser, the help, `options` and the shell completion all read it. */
export interface FlagSpec {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in help; a flag without one is true or false. */
  readonly value?: string;
  /** May be given more than once. */
  readonly repeat?: true;
  readonly choices?: readonly string[];
  readonly help: string;
  /** The default, as help shows it. */
  readonly fallback?: string;
  /** The value is a file, for shell completion. */
  readonly file?: true;
  /** The value names an object of one of these kinds, its kind before it or not. */
  readonly kinds?: readonly ProductKind[];
  /** The one command in which the flag may also stand without a value, with a meaning of its own. */
  readonly alone?: string;
}

/** kubectl's flags for reaching a cluster. */
export const connectionFlags: readonly FlagSpec[] = [
  { name: "kubeconfig", value: "FILE", file: true, help: "Path to the kubeconfig file" },
  { name: "context", value: "NAME", help: "Context of the kubeconfig to use" },
  { name: "cluster", value: "NAME", help: "Cluster of the kubeconfig to use" },
  { name: "user", value: "NAME", help: "User of the kubeconfig to use" },
  { name: "server", short: "s", value: "URL", help: "Address of the API server" },
  { name: "token", value: "TOKEN", help: "Bearer token for the API server" },
  {
    name: "certificate-authority",
    value: "FILE",
    file: true,
    help: "CA certificate that the API server's must fit",
  },
  { name: "client-certificate", value: "FILE", file: true, help: "Client certificate" },
  { name: "client-key", value: "FILE", file: true, help: "Key of the client certificate" },
  { name: "tls-server-name", value: "NAME", help: "Name to expect in the server's certificate" },
  {
    name: "insecure-skip-tls-verify",
    help: "Accept any server certificate; the connection can then be read by others",
  },
  { name: "as", value: "USER", help: "User to impersonate" },
  { name: "as-uid", value: "UID", help: "UID to impersonate" },
  { name: "as-group", value: "GROUP", repeat: true, help: "Group to impersonate; may be repeated" },
  {
    name: "request-timeout",
    value: "DURATION",
    fallback: "90s",
    help: "Longest time for one request, as 30s or 2m; 0 for the default",
  },
  {
    name: "namespace",
    short: "n",
    value: "NAME",
    help: "Namespace to work in; else that of the context",
  },
];

/** The tool's own flags. */
export const runFlags: readonly FlagSpec[] = [
  {
    name: "output",
    short: "o",
    value: "FORMAT",
    choices: ["text", "json", "yaml", "jsonl"],
    fallback: "text",
    help: "Form of the result on stdout",
  },
  {
    name: "dry-run",
    value: "MODE",
    choices: ["none", "client", "server"],
    fallback: "none",
    help: "client: read and plan; server: send each write with dryRun=All too",
  },
  { name: "yes", help: "Answer every question with yes" },
  { name: "no-input", help: "Never ask; a command that has to ask then needs --yes" },
  {
    name: "timeout",
    value: "DURATION",
    fallback: "5m",
    help: "Longest time to wait for one thing, as 90s or 10m; 0 for a week",
  },
  { name: "wait", help: "Wait for what is not ready yet instead of stopping" },
  {
    name: "concurrency",
    value: "N",
    fallback: "8",
    help: "Namespaces or databases worked on at once",
  },
  {
    name: "names",
    value: "FILE",
    file: true,
    alone: "options",
    help: "Names that a brand's operator uses instead of the default; see `options --names`",
  },
  { name: "field-manager", value: "NAME", help: "Owner of the written fields" },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    fallback: "auto",
    help: "Colour; auto means on a terminal and without NO_COLOR",
  },
  { name: "quiet", short: "q", help: "No progress on stderr, only warnings and errors" },
  {
    name: "v",
    short: "v",
    value: "N",
    fallback: "0",
    help: "Detail: 1 adds times, 6 the requests; Secrets never",
  },
  { name: "debug", help: "Show stack traces of failures" },
];

/** Every global flag. */
export const standardFlags: readonly FlagSpec[] = [...connectionFlags, ...runFlags];

/** The environment variable of a global flag: ENGINE_ and the long name in capitals. */
export function variableOf(flag: FlagSpec): string {
  return `ENGINE_${flag.name.toUpperCase().replaceAll("-", "_")}`;
}

/** A flag as it is typed: `-o, --output=FORMAT`. */
export function spelling(flag: FlagSpec): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? "" : `=${flag.value}`}`;
}

/** What a flag does, with its choices and its default. */
export function explained(flag: FlagSpec): string {
  const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`;
  const fallback = flag.fallback === undefined ? "" : ` [default ${flag.fallback}]`;
  return `${flag.help}${choices}${fallback}`;
}

/** What `rehearse` rehearses when no command is named. */
export const rehearsedByDefault = "upgrade-webhook";

/** Shells that `completion` knows. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** What --timeout is when nobody gave it, in milliseconds. */
export const usualTimeoutMs = 5 * 60_000;
