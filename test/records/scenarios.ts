/** The runs that are kept, by their command: what it does, and each way in which it does not. */
import { kinds, rbacKinds, constraintResource } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { Ref } from "../../plugin/domain/kube/objects";
import { scc } from "../plugin/commands/unbind-scc/objects";
import { here, product } from "../support/played-operator";
import { type Start, starts, type Words } from "../support/starts";
import type { Change, Scenario } from "./recorder";

/** Files of a command by their names. */
export interface Kept {
  /** Whose requests are kept, with what they carry. */
  readonly requests: Readonly<Record<string, Scenario>>;
  /** What is printed is kept, or the document. */
  readonly texts: Readonly<Record<string, Scenario>>;
  readonly documents: Readonly<Record<string, Scenario>>;
  /** Only how they end is kept. */
  readonly outcomes: Readonly<Record<string, Scenario>>;
}

const plus =
  (words: Words, ...more: readonly string[]): Words =>
  (place) => [...words(place), ...more];

/** GitOps has taken an object over. */
const owned = (ref: Ref): Change => ({
  says: `Argo CD keeps ${ref.resource.kind} ${ref.name}`,
  make: (cluster) =>
    cluster.patch(
      ref,
      { metadata: { labels: { "argocd.argoproj.io/instance": "prod" } } },
      { type: "merge", fieldManager: "argocd-controller" },
    ),
});

const deployment = here(kinds.deployment, names.operator.deployment);
const localChange: Change = {
  says: "a person has changed the operator's Deployment",
  make: (cluster) =>
    cluster.patch(
      deployment,
      { spec: { replicas: 2 } },
      { type: "merge", fieldManager: "kubectl-edit" },
    ),
};

const { secret } = names.webhook;
const otherPair: Change = {
  says: "there is a Secret of that name already",
  make: (cluster) =>
    cluster.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret, namespace: cluster.namespace },
    }),
};

const consumerRole: Ref = {
  resource: rbacKinds.role,
  name: names.rbac.consumerRole,
  namespace: "shop",
};
const oldConfiguration: Ref = { resource: kinds.webhookConfiguration, name: "edb-admission" };

/** What someone else keeps or did, and what the command refuses to overwrite. */
const refused: Readonly<Record<keyof typeof starts, Change>> = {
  "upgrade-webhook": owned(oldConfiguration),
  "reapply-rbac": owned(consumerRole),
  "reapply-rbac-contract": owned(consumerRole),
  "unbind-scc": owned({ resource: constraintResource, name: scc }),
  "upgrade-operator": localChange,
  "upgrade-cluster": owned(here(product.ec, "ec")),
  "upgrade-database": owned(here(product.edb, "config")),
  "cert-create": otherPair,
  "cert-replace": owned(here(kinds.secret, secret)),
  upgrade: owned(here(product.ec, "ec")),
};

/** Of one command all that is printed is kept, of the others how they end: it is printed the same way. */
const inFull = "upgrade-webhook";

/** A command that writes. */
function writing(title: keyof typeof starts): Kept {
  const { words, ...start }: Start & { readonly words: Words } = starts[title];
  const { before = [] } = start;
  const at = (more: Partial<Scenario>): Scenario => ({ words, ...start, ...more });
  const done = at({});
  const planned = at({ words: plus(words, "--dry-run=server") });
  const ways = {
    "up-to-date": at({ before: [...before, words] }),
    "dry-run-client": at({ words: plus(words, "--dry-run=client") }),
    "dry-run-server": planned,
    unconfirmed: at({ isUnconfirmed: true, fault: "cut" }),
    forbidden: at({ user: "nobody" }),
    cut: at({ fault: "cut" }),
  };
  return {
    requests: {
      done,
      lost: at({ fault: "lost" }),
      conflict: at({ fault: "conflict" }),
      refused: at({ change: refused[title] }),
    },
    texts: { done, ...(title === inFull && ways) },
    documents: { done, ...(title === inFull && { "dry-run-server": planned }) },
    outcomes: ways,
  };
}

/** A command that changes nothing, before an upgrade and after it. */
function reading(...typed: readonly string[]): Kept {
  const words: Words = () => typed;
  const before = { words };
  const after = { words, before: [starts.upgrade.words] };
  const forbidden = { words, user: "nobody" };
  return {
    requests: { before },
    texts: { before },
    documents: { after },
    outcomes: { before, forbidden },
  };
}

/** A command that asks no cluster. */
function printing(...typed: readonly string[]): Kept {
  const done = { words: () => typed };
  return { requests: {}, texts: { done }, documents: { done }, outcomes: {} };
}

/**
 * Every command but those whose output is kept in test/golden: `rehearse`, the rules (`validate`,
 * `audit`), and those that ask a cluster's own REST API (`modules`).
 */
export const kept: Readonly<Record<string, Kept>> = {
  ...Object.fromEntries(
    (Object.keys(starts) as (keyof typeof starts)[]).map((title) => [title, writing(title)]),
  ),
  status: reading("status"),
  check: reading("check"),
  "cert-inspect": reading("cert", "inspect"),
  recover: reading("recover"),
  diff: reading("diff", "upgrade-webhook", "--no-probe"),
  "check-list": printing("check", "--list"),
  policy: printing("policy", "--match-conditions"),
  explain: printing("explain", "SECRET-MISSING"),
  options: printing("options"),
  version: printing("version", "--client"),
  completion: printing("completion", "bash"),
};
