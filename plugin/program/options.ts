/** The global flags: raw → judged, with the environment in second place. */
import type { ConnectionFlags } from "../adapters/kubernetes/flags";
import type { GlobalOptions, Prefix } from "../commands/context";
import { usualTimeoutMs } from "../commands/standard-flags";
import type { RawFlags } from "./values";
import { FlagReader } from "./values";

const week = 7 * 24 * 3_600_000; // what kubectl wait takes for "without end"; setTimeout ends at 24 days
const formats = ["text", "json", "yaml", "jsonl"] as const;

/** The judged options and every problem that was found on the way. */
export interface JudgedOptions {
  readonly options: GlobalOptions;
  readonly problems: readonly string[];
}

/** `oc engine` when the shell or oc itself was started as oc, else `kubectl engine`. */
export function prefixOf(env: NodeJS.ProcessEnv): Prefix {
  const caller = (env["_"] ?? "").split(/[\\/]/).pop() ?? "";
  return /^oc(\.exe)?$/i.test(caller) ? "oc engine" : "kubectl engine";
}

/** Judges the global flags; unusable values are replaced by defaults and named as problems. */
export function toGlobalOptions(raw: RawFlags, env: NodeJS.ProcessEnv): JudgedOptions {
  const read = new FlagReader(raw, env);
  const connection = readConnection(read);
  const fieldManager = read.text("field-manager");
  const namesFile = read.text("names");
  const timeoutMs = read.duration("timeout", usualTimeoutMs);
  const options: GlobalOptions = {
    dryRun: read.choice("dry-run", ["none", "client", "server"], "none"),
    yes: read.on("yes"),
    noInput: read.on("no-input"),
    timeoutMs: timeoutMs === 0 ? week : Math.min(timeoutMs, week),
    wait: read.on("wait"),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(namesFile !== undefined && { namesFile }),
    ...(connection.namespace !== undefined && { namespace: connection.namespace }),
    output: read.choice("output", formats, "text"),
    concurrency: read.count("concurrency", { min: 1, max: 256, fallback: 8 }),
    color: read.choice("color", ["auto", "always", "never"], "auto"),
    quiet: read.on("quiet"),
    debug: read.on("debug"),
    verbosity: read.count("v", { min: 0, max: 10, fallback: 0 }),
    prefix: prefixOf(env),
    connection,
    contextArgs: contextArgs(connection),
  };
  return { options, problems: read.problems };
}

function readConnection(read: FlagReader): ConnectionFlags {
  const texts = {
    kubeconfig: read.text("kubeconfig"),
    context: read.text("context"),
    cluster: read.text("cluster"),
    user: read.text("user"),
    server: read.text("server"),
    token: read.text("token"),
    certificateAuthority: read.text("certificate-authority"),
    clientCertificate: read.text("client-certificate"),
    clientKey: read.text("client-key"),
    tlsServerName: read.text("tls-server-name"),
    as: read.text("as"),
    asUid: read.text("as-uid"),
    namespace: read.text("namespace"),
  };
  if (/[^\x21-\x7e]/.test(texts.token ?? "")) {
    read.problems.push("--token: holds characters that no token has"); // node would quote the header
  }
  const asGroup = read.each("as-group");
  const requestTimeoutMs = read.duration("request-timeout", 0);
  return {
    ...given(texts),
    ...(read.on("insecure-skip-tls-verify") && { insecureSkipTlsVerify: true }),
    ...(asGroup.length > 0 && { asGroup }),
    ...(requestTimeoutMs > 0 && { requestTimeoutMs }),
  };
}

/** The entries that are there: an absent flag is an absent property. */
function given<K extends string>(
  values: Readonly<Record<K, string | undefined>>,
): {
  readonly [key in K]?: string;
} {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [key in K]?: string };
}

/**
 * What a printed command must repeat to reach the same place: everything that names the cluster,
 * the identity and the namespace, but no token.
 */
function contextArgs(flags: ConnectionFlags): readonly string[] {
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ["--kubeconfig", flags.kubeconfig],
    ["--context", flags.context],
    ["--cluster", flags.cluster],
    ["--user", flags.user],
    ["--server", flags.server],
    ["--certificate-authority", flags.certificateAuthority],
    ["--client-certificate", flags.clientCertificate],
    ["--client-key", flags.clientKey],
    ["--tls-server-name", flags.tlsServerName],
    ["--as", flags.as],
    ["--as-uid", flags.asUid],
    ...(flags.asGroup ?? []).map((group) => ["--as-group", group] as const),
    ["--namespace", flags.namespace],
  ];
  const named = pairs.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
  return flags.insecureSkipTlsVerify === true ? [...named, "--insecure-skip-tls-verify"] : named;
}
