/** Managed namespaces of all sorts, drawn from a seed, and the three states that they are brought into. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { lastApplied } from "../../../plugin/domain/kube/objects";
import { type Api, type KubeObject, personsManager } from "../../control-plane/api";
import { repositoryRoot } from "../../control-plane/pins";
import {
  documentedWay,
  namespaceNamed,
  oldBinding,
  oldRole,
  operatorNamespace,
  widerRules,
} from "../../control-plane/managed-namespaces";

/** What `reapply-rbac` and the loop find in the namespaces. */
export type Case = "absent" | "changed" | "unchanged";

export const cases: readonly Case[] = ["absent", "changed", "unchanged"];

/** The numbers from 0 to 1 that a seed stands for, the same ones again for the same seed. */
export class Draw {
  #count = 0;

  constructor(private readonly seed: string) {}

  next(): number {
    this.#count += 1;
    const digest = createHash("sha256").update(`${this.seed} ${this.#count}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Each of them with this chance. */
  some<T>(items: readonly T[], chance: number): readonly T[] {
    return items.filter(() => this.next() < chance);
  }
}

/** Names of 8 to 50 letters and digits; their number makes them differ. */
export function namesFrom(draw: Draw, count: number): readonly string[] {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from({ length: count }, (_, index) => {
    const word = Array.from({ length: 3 + draw.below(40) }, () => letters[draw.below(36)]);
    return `n${word.join("")}-${index.toString(36)}`;
  });
}

/** The two files of the documented way, as a person has filled them in. */
export function filledFiles(): readonly { readonly name: string; readonly text: string }[] {
  return ["role.yaml", "role_binding.yaml"].map((name) => ({
    name,
    text: readFileSync(join(repositoryRoot, "manifests/rbac", name), "utf8")
      .replaceAll("OPERATOR_NAMESPACE", operatorNamespace)
      .replaceAll("NAME_OF_EC_SERVICE_ACCOUNT", "ec"),
  }));
}

type Rule = (typeof widerRules)[number];

const shipped = (filledFiles().map(({ text }) => load(text)) as readonly KubeObject[]).flatMap(
  ({ rules }) => (rules ?? []) as readonly Rule[],
);

/** Rules of the release that lack verbs or are gone, or those of other releases and of persons. */
function otherRules(draw: Draw): readonly Rule[] {
  const known = draw.next() < 0.5 ? shipped : widerRules;
  const lacking = draw
    .some(known.slice(1), 0.7)
    .map((rule) => ({ ...rule, verbs: [rule.verbs[0] ?? "get", ...draw.some(rule.verbs, 0.5)] }));
  const own = { apiGroups: [`team-${draw.below(40)}.example`], resources: ["*"], verbs: ["get"] };
  return [...lacking, ...(draw.next() < 0.3 ? [own] : [])];
}

/** The Role and the RoleBinding of a namespace in which something has to be written. */
function changedPair(draw: Draw, namespace: string): readonly KubeObject[] {
  const binding = oldBinding(namespace);
  const [operator, account] = binding["subjects"] as readonly object[];
  const another = { ...account, name: `account-${draw.below(1000)}` };
  const subjects = draw.next() < 0.5 ? [operator, account] : [operator, another];
  return [
    { ...oldRole(namespace), rules: otherRules(draw) },
    { ...binding, subjects },
  ];
}

/** As `kubectl apply` leaves an object, or as `kubectl create` does. */
async function create(api: Api, draw: Draw, object: KubeObject): Promise<void> {
  if (draw.next() < 0.5) {
    await api.create(object, personsManager);
    return;
  }
  const annotations = { [lastApplied]: JSON.stringify(object) };
  await api.create({ ...object, metadata: { ...object.metadata, annotations } }, documentedWay);
}

async function forEach(
  names: readonly string[],
  act: (name: string) => Promise<void>,
): Promise<void> {
  const left = [...names];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await act(name);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

export async function createNamespaces(api: Api, names: readonly string[]): Promise<void> {
  await forEach(names, async (name) => {
    await api.create(namespaceNamed(name));
  });
}

/** Removes what is there, and puts what has to be changed in its place where that is the case. */
export async function bringInto(
  state: Exclude<Case, "unchanged">,
  {
    api,
    seed,
    names,
  }: { readonly api: Api; readonly seed: string; readonly names: readonly string[] },
): Promise<void> {
  await forEach(names, async (name) => {
    await api.remove(oldRole(name));
    await api.remove(oldBinding(name));
    if (state === "absent") return;
    const draw = new Draw(`${seed} ${name}`);
    for (const object of changedPair(draw, name)) await create(api, draw, object);
  });
}
