/** The namespace of the operator: readers are led there, writers are told how to go there. */
import type { CommandContext, GlobalOptions } from "../cmdutil/context";
import { inNamespace } from "../cmdutil/kubectl-command";
import { exitCodes, BlockedError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import { findPlace, type NamespaceFacts, type PlaceSign } from "../readers/operator-namespace";
import type { KubeClient } from "../ports/kubernetes";
import { operatorFinding } from "../domain/operator/findings";
import { namespaceMissing } from "../domain/admission/findings";
import { quoteCommand } from "../output/escape";

/** A command line that works in the operator's namespace. */
export interface Placed {
  readonly sign: PlaceSign;
  /** It writes nothing: to look elsewhere does no harm. */
  readonly reads: boolean;
  /** The words of the line, values bound to their flags. */
  readonly words: readonly string[];
}

/** The options in the namespace to work in; undefined where it is the one asked for. Else the cluster is closed. */
export async function optionsAt(
  placed: Placed,
  cluster: KubeClient,
  context: Pick<CommandContext, "names" | "signal" | "options" | "event">,
): Promise<GlobalOptions | undefined> {
  const { options } = context;
  let namespace: string | undefined;
  try {
    namespace = await chooseNamespace(placed, cluster, context);
  } catch (error) {
    cluster.close();
    throw error;
  }
  if (namespace === undefined) return undefined;
  cluster.close();
  const connection = { ...options.connection, namespace };
  const contextArgs = inNamespace(options.contextArgs, namespace);
  return { ...options, namespace, connection, contextArgs };
}

/**
 * The namespace to work in instead of the one asked for, undefined for that one itself. Ends with 3
 * where it does not exist, and before a write where the operator is in another one.
 */
async function chooseNamespace(
  { sign, reads, words }: Placed,
  cluster: KubeClient,
  context: Pick<CommandContext, "names" | "signal" | "options" | "event">,
): Promise<string | undefined> {
  const { names, signal, options, event } = context;
  const { namespace } = cluster;
  const place = await findPlace({ cluster, names, sign, signal });
  const [only, second] = place.elsewhere;
  if (place.exists && (place.here || only === undefined)) return undefined;
  if (place.exists && reads) {
    const led = second === undefined ? only : undefined;
    const then = led === undefined ? "give one of them with -n" : `namespace ${led} is shown`;
    const text = `namespace ${namespace} has no operator${renderElsewhere(place)}: ${then}`;
    event({ type: "warning", text });
    return led;
  }
  const finding = explainPlace(place, namespace);
  if (only === undefined || second !== undefined) throw refuse(finding);
  const others = words.filter((word) => !word.startsWith("--namespace="));
  const line = [...options.prefix.split(" "), ...others, `--namespace=${only}`];
  throw refuse({ ...finding, command: quoteCommand(line) });
}

function refuse(finding: Finding): BlockedError {
  return new BlockedError(exitCodes.blocked, [finding]);
}

function renderElsewhere({ elsewhere }: NamespaceFacts): string {
  return elsewhere.length === 0 ? "" : `; an operator is in ${elsewhere.join(" and in ")}`;
}

function explainPlace(place: NamespaceFacts, namespace: string): Finding {
  const object = `Namespace/${namespace}`;
  return place.exists
    ? operatorFinding("elsewhere", { object, cause: `it has no operator${renderElsewhere(place)}` })
    : namespaceMissing(namespace, `the namespace does not exist${renderElsewhere(place)}`);
}
