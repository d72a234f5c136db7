/** The runs that are kept: every command where it does something, has nothing to do, is planned, and is refused. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { kinds } from "../../plugin/domain/kube/kinds";
import type { Cluster } from "../../plugin/ports/kubernetes";
import { here, product } from "../support/played-operator";
import { type Start, starts, type Words } from "../support/starts";
import type { Scenario } from "./frozen";

const plus =
  (words: Words, ...more: readonly string[]): Words =>
  (place) => [...words(place), ...more];

const byGitOps = { type: "merge", fieldManager: "argocd-controller" } as const;

/** GitOps has taken an EC over. */
const ownedCluster = (reached: Cluster): Promise<unknown> =>
  reached.patch(
    here(product.ec, "ec"),
    { metadata: { labels: { "argocd.argoproj.io/instance": "prod" } } },
    byGitOps,
  );

/** A person has changed the operator's Deployment. */
const localChange = (reached: Cluster): Promise<unknown> =>
  reached.patch(
    here(kinds.deployment, names.operator.deployment),
    { spec: { replicas: 2 } },
    { type: "merge", fieldManager: "kubectl-edit" },
  );

/** Someone's change that the command refuses to overwrite. */
const refused: Readonly<Record<string, Scenario["change"]>> = {
  "upgrade-operator": localChange,
  "upgrade-cluster": ownedCluster,
  upgrade: ownedCluster,
};

type Started = Start & { readonly words: Words };

/** A command that writes, in each way in which it can be run. */
function waysOf([title, { words, ...start }]: readonly [string, Started]): readonly Scenario[] {
  const { before = [] } = start;
  const change = refused[title];
  const at = (way: string, more: Partial<Scenario>): Scenario => ({
    title: `${title}.${way}`,
    words,
    ...start,
    ...more,
  });
  return [
    at("done", { withDocument: true }),
    at("again", { before: [...before, words] }),
    at("plan-client", { words: plus(words, "--dry-run=client") }),
    at("plan-server", { words: plus(words, "--dry-run=server"), withDocument: true }),
    at("unconfirmed", { unconfirmed: true }),
    at("forbidden", { user: "nobody" }),
    at("conflict", { fault: "conflict", withDocument: true }),
    at("cut", { fault: "cut" }),
    at("lost", { fault: "lost" }),
    ...(change === undefined ? [] : [at("refused", { change })]),
  ];
}

/** Commands that change nothing, on clusters in several states. */
const looks: readonly Scenario[] = [
  ["status", ["status"]],
  ["check", ["check"]],
  ["check-list", ["check", "--list"]],
  ["verify-webhook", ["verify-webhook"]],
  ["cert-inspect", ["cert", "inspect"]],
  ["recover", ["recover"]],
  ["diff", ["diff", "upgrade-webhook", "--no-probe"]],
].flatMap(([title, words]): readonly Scenario[] => {
  const one = { title: String(title), words: () => words as readonly string[] };
  return [
    { ...one, title: `${one.title}.before` },
    { ...one, title: `${one.title}.after`, before: [starts.upgrade.words], withDocument: true },
    { ...one, title: `${one.title}.forbidden`, user: "nobody" },
  ];
});

/** Every scenario by its title. */
export const scenarios: readonly Scenario[] = [...Object.entries(starts).flatMap(waysOf), ...looks];
