/** The flags that every command takes: kubectl's own under their own names, then the tool's. */
import {
  hasTemplate,
  offeredForms,
  type OutputForm,
  plainForms,
  wideForm,
} from "../domain/base/output-form";
import type { Names } from "../domain/names/names";
import { textIn } from "../domain/names/text";
import {
  count,
  countOr,
  duration,
  type FlagReader,
  type FlagSpec,
  flagTable,
  listFlags,
} from "./flags";

/** kubectl's flags for reaching a cluster. */
export const connectionTable = flagTable({
  kubeconfig: { value: "FILE", file: true, help: "Path to the kubeconfig file" },
  context: { value: "NAME", offers: "context", help: "Context of the kubeconfig to use" },
  cluster: { value: "NAME", offers: "cluster", help: "Cluster of the kubeconfig to use" },
  user: { value: "NAME", offers: "user", help: "User of the kubeconfig to use" },
  server: { short: "s", value: "URL", help: "Address of the API server" },
  token: { value: "TOKEN", read: readToken, help: "Bearer token for the API server" },
  "certificate-authority": {
    value: "FILE",
    file: true,
    help: "CA certificate that the API server's must fit",
  },
  "client-certificate": { value: "FILE", file: true, help: "Client certificate" },
  "client-key": { value: "FILE", file: true, help: "Key of the client certificate" },
  "tls-server-name": { value: "NAME", help: "Name to expect in the server's certificate" },
  "insecure-skip-tls-verify": {
    read: (read, name) => read.on(name) || undefined,

    help: "Accept any server certificate; the connection can then be read by others",
  },
  as: { value: "USER", help: "User to impersonate" },
  "as-uid": { value: "UID", help: "UID to impersonate" },
  "as-group": {
    value: "GROUP",
    repeat: true,
    read: readGroups,
    help: "Group to impersonate; may be repeated",
  },
  "request-timeout": {
    value: "DURATION",
    fallback: "90s",
    key: "requestTimeoutMs",
    read: (read, name) => read.duration(name, 0) || undefined,
    help: "Longest time for one request, for example 30s or 2m; 0 for the default",
  },
  namespace: {
    short: "n",
    value: "NAME",
    offers: "namespace",
    help: "Namespace to work in; else that of the context",
  },
});

/** Requests for a namespace are small, and a busy API server refuses them with 429; a database keeps its operator at work. */
export const usualAtOnce = { namespaces: 24, databases: 8 } as const;

/** The tool's own flags. */
export const runTable = flagTable({
  output: {
    short: "o",
    value: "FORMAT",
    choices: offeredForms,
    read: readForm,
    meanings: {
      text: "For people",
      wide: "For people, with more columns in tables",
      json: "One JSON document",
      yaml: "One YAML document",
      jsonl: "Each step as a line of JSON, then the document",
      name: "Only the names of the objects",
      "jsonpath=": "Parts of the document by a template",
      "custom-columns=": "A table of NAME:PATH, with commas between",
      sarif: "Verdicts for code scanning",
      junit: "Verdicts as test results",
      github: "Verdicts as annotations of a workflow",
    },
    fallback: "text",
    help: "Output format; the last three are for verdicts on objects",
  },
  report: {
    value: "FILE",
    file: true,
    read: readReport,
    help: "Write the report as a page too, to a file that ends in .html or .md",
  },
  "dry-run": {
    value: "MODE",
    choices: ["none", "client", "server"],
    meanings: {
      none: "Carry it out",
      client: "Read and plan",
      server: "Send each write with dryRun=All too",
    },
    fallback: "none",
    help: "client: read and plan; server: send each write with dryRun=All too",
  },
  yes: { help: "Answer yes to every question" },
  "no-input": {
    key: "noInput",
    read: (read, name) => read.on(name),
    help: "Never ask; a command that has to ask then needs --yes",
  },
  timeout: {
    ...duration("5m"),
    key: "timeoutMs",
    read: readTimeout,
    help: "Longest time without progress, for example 90s or 10m; 0 for a week",
  },
  wait: { help: "Wait for what is not ready yet instead of stopping" },
  concurrency: {
    ...count(1, 256),
    help: `How many are worked on at once; by default ${usualAtOnce.namespaces} namespaces or ${usualAtOnce.databases} databases`,
  },
  names: {
    value: "FILE",
    file: true,
    alone: "options",
    key: "namesFile",
    help: "Names that a brand's operator uses instead of the default; see `options --names`",
  },
  "field-manager": { value: "NAME", help: "Owner of the written fields" },
  color: {
    value: "WHEN",
    choices: ["auto", "always", "never"],
    fallback: "auto",
    help: "Color; auto means on a terminal and without NO_COLOR",
  },
  quiet: { short: "q", help: "No progress on stderr, only warnings and errors" },
  v: {
    short: "v",
    ...countOr(0, 0, 10),
    key: "verbosity",
    help: "Detail: 1 adds times and the content of a plan, 6 the requests; Secrets never",
  },
  debug: { help: "Show stack traces of failures" },
});

/** Every global flag. */
export const standardFlags: readonly FlagSpec[] = listFlags({ ...connectionTable, ...runTable });

/** A flag as it is typed: `-o, --output=FORMAT`. */
export function spellFlag(flag: FlagSpec): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? "" : `=${flag.value}`}`;
}

/** What a flag does, with its choices and its default. */
export function explainFlag(flag: FlagSpec, names: Names): string {
  const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`;
  const fallback = flag.fallback === undefined ? "" : ` [default ${flag.fallback}]`;
  return `${textIn(flag.help, names)}${choices}${fallback}`;
}

/** What `rehearse` rehearses when no command is named. */
export const rehearsedByDefault = "upgrade-webhook";

/** Shells that `completion` knows. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** What --timeout is when nobody gave it, in milliseconds. */
export const usualTimeoutMs = 5 * 60_000;

const week = 7 * 24 * 3_600_000; // what kubectl wait takes for "without end"; setTimeout ends at 24 days

/** Always finite and below setTimeout's limit. */
function readTimeout(read: FlagReader, name: string): number {
  const ms = read.duration(name, usualTimeoutMs);
  return ms === 0 ? week : Math.min(ms, week);
}

function readForm(read: FlagReader, name: string): OutputForm {
  const parse = (typed: string): OutputForm | undefined =>
    typed === wideForm
      ? "text"
      : (plainForms.find((form) => form === typed) ?? (hasTemplate(typed) ? typed : undefined));
  const all = offeredForms.map((form) => (form.endsWith("=") ? `${form}TEMPLATE` : form));
  return read.parse(name, parse, `one of ${all.join(", ")}`) ?? "text";
}

function readGroups(read: FlagReader, name: string): readonly string[] | undefined {
  const groups = read.each(name);
  return groups.length > 0 ? groups : undefined;
}

function readReport(read: FlagReader, name: string): string | undefined {
  const file = read.text(name);
  if (file === undefined || /[^/\\]\.(html|md)$/i.test(file)) return file;
  read.problems.push(`--report: ${JSON.stringify(file)} ends neither in .html nor in .md`);
  return undefined;
}

function readToken(read: FlagReader, name: string): string | undefined {
  const token = read.text(name);
  // node would quote the header
  if (/[^\x21-\x7e]/.test(token ?? "")) {
    read.problems.push("--token: contains characters that a token cannot have");
  }
  return token;
}
