/** The runs that are kept: every command where it does something, has nothing to do, is planned, and is refused. */
import { defaultNames as names } from "../../plugin/domain/names";
import { kinds } from "../../plugin/domain/kinds";
import type { KubeObject } from "../../plugin/domain/objects";
import type { Cluster } from "../../plugin/run/ports";
import { exampleDefinitions } from "../../plugin/rehearsal/example-definitions";
import { alone, scc } from "../plugin/run/scc/start";
import { here, product } from "../support/played-operator";
import type { Place, Scenario } from "./frozen";

type Words = Scenario["words"];

const target = "8.0.2-17";
const webhook: Words = () => ["upgrade-webhook", "--no-probe"];
const rbac: Words = ({ release }: Place) => ["reapply-rbac", "--release", release];
const contract: Words = (place) => [...rbac(place), "--mode", "contract"];
const operator: Words = ({ release }) => ["upgrade-operator", "--release", release];
const cluster: Words = () => ["upgrade-cluster", "ec", "--target", target];
const database: Words = () => ["upgrade-database", "config", "--engine-version", "8.0"];
const unbind: Words = () => ["unbind-scc", "--scc", scc];
const upgrade: Words = ({ release }) => ["upgrade", "--release", release, "--no-probe"];
const certificate: Words = () => ["cert", "create"];
const replaced: Words = () => ["cert", "create", "--replace"];

const plus =
  (words: Words, ...more: readonly string[]): Words =>
  (place) => [...words(place), ...more];

const bound = (): readonly KubeObject[] => [...exampleDefinitions(names), ...alone];
const withoutPair = (example: readonly KubeObject[]): readonly KubeObject[] =>
  example.filter(
    ({ kind, metadata }) => kind !== "Secret" || metadata.name !== names.webhook.secret,
  );

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

interface Command {
  readonly title: string;
  readonly words: Words;
  readonly before?: readonly Words[];
  readonly objects?: Scenario["objects"];
  /** Somebody's change that the command refuses to overwrite. */
  readonly refused?: Scenario["change"];
}

const commands: readonly Command[] = [
  { title: "upgrade-webhook", words: webhook },
  { title: "reapply-rbac", words: rbac },
  { title: "reapply-rbac-contract", words: contract, before: [rbac, operator] },
  { title: "unbind-scc", words: unbind, objects: bound },
  { title: "upgrade-operator", words: operator, before: [rbac], refused: localChange },
  {
    title: "upgrade-cluster",
    words: cluster,
    before: [rbac, operator, webhook],
    refused: ownedCluster,
  },
  { title: "upgrade-database", words: database, before: [rbac, operator, webhook, cluster] },
  { title: "cert-create", words: certificate, objects: withoutPair },
  { title: "cert-replace", words: replaced },
  { title: "upgrade", words: upgrade, refused: ownedCluster },
];

/** A command that writes, in each way in which it can be run. */
function waysOf({ title, words, before = [], objects, refused }: Command): readonly Scenario[] {
  const start = { before, ...(objects !== undefined && { objects }) };
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
    ...(refused === undefined ? [] : [at("refused", { change: refused })]),
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
    { ...one, title: `${one.title}.after`, before: [upgrade], withDocument: true },
    { ...one, title: `${one.title}.forbidden`, user: "nobody" },
  ];
});

/** Every scenario by its title. */
export const scenarios: readonly Scenario[] = [...commands.flatMap(waysOf), ...looks];
