/** The global flags: raw → judged, with the environment in second place. */
import type { ConnectionFlags } from "../adapters/kubernetes/target";
import type { GlobalOptions, Prefix } from "../commands/context";
import { attribute, FlagReader, listOf, type RawFlags, readOptions } from "../commands/flags";
import { connectionTable, runTable } from "../commands/standard-flags";

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
  const connection: ConnectionFlags = readOptions(connectionTable, read);
  const options: GlobalOptions = {
    ...readOptions(runTable, read),
    namespace: connection.namespace,
    prefix: prefixOf(env),
    connection,
    contextArgs: contextArgs({ ...connection }),
  };
  return { options, problems: read.problems };
}

type Value = ConnectionFlags[keyof ConnectionFlags];

const unrepeated = ["token", "request-timeout"];

/**
 * What a printed command must repeat to reach the same place: everything that names the cluster,
 * the identity and the namespace, but no token.
 */
function contextArgs(connection: Readonly<Record<string, Value>>): readonly string[] {
  const words = listOf(connectionTable)
    .filter(({ name }) => !unrepeated.includes(name))
    .flatMap(({ name }) =>
      [connection[attribute(name)] ?? []]
        .flat()
        .map((value) => (value === true ? `--${name}` : `--${name}=${String(value)}`)),
    );
  const isValued = (word: string): boolean => word.includes("=");
  return [...words.filter(isValued), ...words.filter((word) => !isValued(word))];
}
