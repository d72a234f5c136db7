/**
 * What each command asks of the API server, seen on runs on the built-in example by someone who may do
 * everything: its requests, and the access reviews by which it finds out what it may do. And the Role that
 * it prints for someone who may do nothing.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiPermissions } from "../../plugin/cmdutil/rest-api-option";
import { defaultNames as names, kinds } from "../../plugin/domain/names/names";
import type { Permission } from "../../plugin/domain/kube/permissions";
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import type { User } from "../../plugin/simulator/model";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import type { Report } from "../../plugin/kernel/report";
import { entries } from "../../plugin/cli/commands";
import { createRegistry } from "../../plugin/simulator/kinds/registry";
import { type Gate, type ObservedCall, observe } from "../../plugin/simulator/observed-cluster";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import type { Access, KubeClient } from "../../plugin/ports/kubernetes";
import { admin } from "./world";
import { testTime } from "./manual-clock";
import { aModuleArchive } from "./played-cluster-api";
import { type Start, Starts, starts, type Words } from "./starts";

const namespace = names.operator.namespace;

/** A word that stands for an archive with a module. */
const archive = "MODULE.zip";

/** Commands that only look, up to where they would reach a REST API; and the swap, up to its first probe. */
const more: readonly (readonly string[])[] = [
  ["upgrade-database", "config", "--engine-version", "8.0", "--via", "api", "--api-insecure"],
  ["upgrade-webhook"],
  ["check"],
  ["status"],
  ["recover", "--api-insecure"],
  ["cert", "inspect"],
  ["modules", "list", "--api-insecure"],
  ["modules", "in-use", "--api-insecure"],
  ["modules", "install", archive, "--api-insecure"],
];

/** A permission that a run needed; `writes` when something was changed by it. */
export interface Asked extends Pick<Permission, "verb" | "group" | "resource"> {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly writes: boolean;
}

class Notes {
  readonly asked: Asked[] = [];
  private readonly registry = createRegistry();

  of(cluster: KubeClient): KubeClient {
    const gate: Gate = (call, send) => {
      this.asked.push(...this.needed(call));
      return send();
    };
    const observed = observe(cluster, gate);
    const can = (access: Access): Promise<boolean> => {
      const { subresource, resource, ...rest } = access;
      const full = subresource === undefined ? resource : `${resource}/${subresource}`;
      this.asked.push({ ...rest, resource: full, writes: false });
      return cluster.can(access);
    };
    const list: KubeClient["list"] = (kind, options = {}) => {
      const { group, plural: resource } = kind;
      const { namespace, fieldSelector = "" } = options;
      const [, name] = /^metadata\.name=([^,]+)$/.exec(fieldSelector) ?? [];
      this.asked.push({ verb: "list", group, resource, namespace, name, writes: false });
      return cluster.list(kind, options);
    };
    return Object.assign(observed, { can, list });
  }

  private needed({ verb, subject, target, writes }: ObservedCall): readonly Asked[] {
    if (verb === "ask") return reviewOf(subject);
    if (target === undefined || verb === "list") return [];
    const { group, version, kind, name, namespace } = target;
    const kindOf = group === "" ? version : `${group}/${version}`;
    const plural = target.plural ?? this.pluralOf(kindOf, kind);
    const resource = subject.startsWith("the log of ") ? `${plural}/log` : plural;
    const sent = { verb: verb === "apply" ? "patch" : verb, group, resource, namespace, writes };
    // create and watch are not granted by name
    return [verb === "create" || verb === "watch" ? sent : { ...sent, name }];
  }

  private pluralOf(apiVersion: string, kind: string): string {
    const own = kinds.map((key) => names[key]).find((one) => one.kind === kind);
    return own?.plural ?? this.registry.byKind(apiVersion, kind)?.resource.plural ?? kind;
  }
}

/** A review of another account's access takes a right of its own. */
function reviewOf(subject: string): readonly Asked[] {
  const [, review] = /^for a ((?!Self)\w+AccessReview)$/.exec(subject) ?? [];
  if (review === undefined) return [];
  const resource = `${review.toLowerCase()}s`;
  return [{ verb: "create", group: "authorization.k8s.io", resource, writes: false }];
}

/** What every command needed, by its path. */
export function askedByCommands(): Promise<ReadonlyMap<string, readonly Asked[]>> {
  return ofCommands(askedBy);
}

/** The same of command lines, by their titles. */
export async function askedAndPrinted(
  rows: Readonly<Record<string, Run>>,
): Promise<
  ReadonlyMap<string, { readonly asked: readonly Asked[]; readonly printed: readonly Asked[] }>
> {
  const world = new Starts();
  const found = new Map<string, { asked: readonly Asked[]; printed: readonly Asked[] }>();
  for (const [title, { words, ...start }] of Object.entries(rows)) {
    const line = words(world.place);
    const of = { ...start, overApi: false };
    found.set(title, {
      asked: await askedBy(world, line, of),
      printed: await printedBy(world, line, of),
    });
  }
  return found;
}

/** What the Role grants that every command prints for a user who may do nothing, by its path. */
export function printedByCommands(): Promise<ReadonlyMap<string, readonly Asked[]>> {
  return ofCommands(printedBy);
}

type Run = Start & { readonly words: Words };
type StartOfEntry = Start & { readonly overApi: boolean };
type Seen = (
  world: Starts,
  line: readonly string[],
  start: StartOfEntry,
) => Promise<readonly Asked[]>;

async function ofCommands(see: Seen): Promise<ReadonlyMap<string, readonly Asked[]>> {
  const world = new Starts();
  const file = join(world.folder, archive);
  writeFileSync(file, aModuleArchive({ module_name: "rg", semantic_version: "1.2.5" }));
  const runs: readonly Run[] = [
    ...Object.values<Run>(starts),
    ...more.map((words) => ({ words: () => words })),
  ];
  const found = new Map<string, readonly Asked[]>();
  for (const { words, ...start } of runs) {
    const line = words(world.place).map((word) => (word === archive ? file : word));
    const entry = entries.find(({ path }) => `${line.join(" ")} `.startsWith(`${path} `));
    if (entry === undefined) throw new Error(line.join(" "));
    const overApi = entry.flags.some(({ name }) => name === "api-ca");
    const asked = await see(world, line, { ...start, overApi });
    found.set(entry.path, [...(found.get(entry.path) ?? []), ...asked]);
  }
  return found;
}

const nobody: User = { name: "nobody", groups: ["system:authenticated"] };

/** The rules of the printed objects, one by one. */
const printedBy: Seen = async (world, line, start) => {
  const controlPlane = (await world.of(start)).fork(new VirtualClock(testTime));
  const cluster = controlPlane.connect({ user: nobody, namespace });
  const { out } = await world.typed(argvOf(line), { cluster, clock: new VirtualClock(testTime) });
  const { permissions } = JSON.parse(out) as Report;
  const objects = parseDocuments(
    permissions?.manifest ?? "",
    "manifest",
  ) as unknown as KubeObject[];
  return objects.flatMap(({ metadata, ...role }) =>
    ((role["rules"] ?? []) as readonly PrintedRule[]).flatMap((rule) =>
      grantsOf(rule).map((one) => ({ ...one, namespace: metadata.namespace, writes: false })),
    ),
  );
};

interface PrintedRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

function grantsOf({ apiGroups, resources, resourceNames, verbs }: PrintedRule) {
  const names: readonly (string | undefined)[] = resourceNames ?? [undefined];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      names.flatMap((name) => verbs.map((verb) => ({ group, resource, name, verb }))),
    ),
  );
}

const argvOf = (line: readonly string[]): readonly string[] => [
  ...[...line, "-n", namespace],
  ...["--yes", "-o", "json"],
];

const askedBy: Seen = async (world, line, { overApi, ...start }) => {
  const inner = new VirtualClock(testTime);
  const controlPlane = (await world.of(start)).fork(inner);
  const clock = playAlong({ controlPlane, clock: inner, names, namespace });
  const notes = new Notes();
  const cluster = notes.of(controlPlane.connect({ user: admin, namespace }));
  await world.typed(argvOf(line), { cluster, clock });
  return overApi ? [...notes.asked, ...forRestApi(cluster)] : notes.asked;
};

/** What has to be allowed before the REST API of the example's cluster can be asked. */
function forRestApi(cluster: KubeClient): readonly Asked[] {
  const { group, version, ec } = names;
  const object = {
    apiVersion: `${group}/${version}`,
    kind: ec.kind,
    metadata: { name: "ec", namespace },
  };
  const needed = apiPermissions({ cluster, ec: object, flags: { insecure: true } }, names);
  return needed.map((one) => ({ ...one, writes: false }));
}
