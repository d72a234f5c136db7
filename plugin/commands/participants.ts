/** `--participant CONTEXT[/NAMESPACE]`: other clusters that take part, connected to be read (S65, S66). */
import { UsageError } from "../domain/errors";
import type { ParticipantPort } from "../run/databases/deps";
import type { CommandContext } from "./context";

/** Connects to each; all that cannot be found are named at once. */
export async function connectParticipants(
  context: CommandContext,
  given: readonly string[],
): Promise<readonly ParticipantPort[]> {
  if (given.length === 0) return [];
  if (context.rehearsed === true) {
    throw new UsageError("--participant: a rehearsal reaches no other cluster");
  }
  const { loadKubeconfig } = await import("../adapters/kubernetes/kubeconfig.ts");
  const { contexts } = loadKubeconfig(context.options.connection.kubeconfig, context.env);
  const known = [...contexts.keys()];
  const places = [...new Set(given)].map((name) => placeOf(name, known));
  const problems = places.flatMap((place) => ("problem" in place ? [place.problem] : []));
  if (problems.length > 0) throw new UsageError(problems);
  const found = places.flatMap((place) => ("problem" in place ? [] : [place]));
  return await Promise.all(
    found.map(async ({ name, kubeContext, namespace }) => {
      const cluster = await context.connectReadOnly(kubeContext);
      return { name, cluster, namespace: namespace ?? cluster.namespace };
    }),
  );
}

interface Place {
  readonly name: string;
  readonly kubeContext: string;
  readonly namespace?: string;
}

/** Names of contexts may have slashes themselves: the longest that is known counts. */
function placeOf(name: string, known: readonly string[]): Place | { readonly problem: string } {
  if (known.includes(name)) return { name, kubeContext: name };
  const slash = name.lastIndexOf("/");
  const kubeContext = name.slice(0, Math.max(slash, 0));
  if (known.includes(kubeContext)) return { name, kubeContext, namespace: name.slice(slash + 1) };
  const all = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return {
    problem: `--participant: ${JSON.stringify(name)} is no context of the kubeconfig (${all})`,
  };
}
