/**
 * An ESLint rule: the house of ARCHITECTURE.md. Each folder imports what its row names, types included;
 * a room is a folder of plugin/commands. The tables are the rules.
 */
import { basename, relative, sep } from "node:path";
import { eachImport, graphOf } from "./import-graph.mjs";

const words = (text) => text.split(/[\s,]+/);

/** The rooms of plugin/commands. Only the wholes look into the rooms of parts. */
const parts = words(
  "upgrade-webhook reapply-rbac unbind-scc upgrade-operator upgrade-cluster upgrade-database modules cert",
);
const wholes = words("upgrade check status recover validate rehearse");
const others = words("policy diff explain advisories");

/** What a whole may import of a part's room. */
const shown = /^(.+-)?(checks|findings|next)\.ts$/;

/** Files of a room that only compute. */
const pure = /^(.+-)?(checks|findings|next|flags|plan)\.ts$/;

/** True for a file of a room that only computes; the path is from the root of the repository. */
export const onlyComputes = (path) => locate(path).room !== undefined && pure.test(basename(path));
const acting = words("readers adapters kernel ports simulator");

/** Files outside of the rooms that import from every room. */
const collectors = words("cli/commands.ts cli/documents.ts commands/explain/catalogue.ts");

/** Files that collect one kind of file from every room, and the rooms that import them. */
const lists = {
  "commands/parts.ts": { files: /^part\.ts$/, users: words("upgrade") },
  "commands/checks.ts": {
    files: /^(.+-)?checks\.ts$/,
    users: words("check upgrade explain"),
  },
};

const usual = words("cmdutil output readers adapters kernel ports domain");
/** The folders of domain, and what each imports beside the floor that all of them stand on. */
const floor = words("base kube names");
const subjects = {
  base: [],
  kube: words("base"),
  names: words("base kube"),
  certificate: [],
  release: [],
  rules: [],
  rbac: words("diagnosis facts operator release rollout"),
  "rest-api": words("rules"),
  scc: words("diagnosis facts release rollout"),
  diagnosis: words("facts rollout"),
  operator: words("diagnosis facts release rollout"),
  facts: words("certificate release"),
  references: words("diagnosis facts"),
  rollout: words("facts"),
  admission: words("certificate diagnosis facts operator release rollout rules"),
  "engine-cluster": words("diagnosis facts operator references release rest-api rollout rules"),
  database: words(
    "diagnosis engine-cluster facts operator references release rest-api rollout rules",
  ),
  recovery: words(
    "database diagnosis engine-cluster facts operator release rest-api rollout rules",
  ),
  checks: words(
    "advisories admission certificate database diagnosis engine-cluster facts operator rbac references release rollout rules scc",
  ),
  advisories: words(
    "checks database diagnosis engine-cluster facts operator release rollout rules",
  ),
};

/** Folders of data, and the subjects of domain that read them. */
const data = { advisories: words("advisories release") };

/** What each folder imports besides itself. Paths are those below plugin/. */
const house = {
  "main.ts": ["cli", ...usual],
  cli: usual,
  ...Object.fromEntries(
    [...parts, ...wholes, ...others].map((room) => [`commands/${room}`, usual]),
  ),
  ...Object.fromEntries(Object.keys(lists).map((list) => [list, usual])),
  "commands/rehearse": ["simulator", ...usual],
  cmdutil: usual,
  simulator: words("adapters ports domain"),
  output: words("kernel/report.ts domain"),
  adapters: words("ports domain"),
  readers: words("kernel ports domain"),
  kernel: words("ports domain"),
  ports: words("domain"),
  webhook: words("adapters/http adapters/kubernetes adapters/certificate-pair.ts domain"),
  ...Object.fromEntries(
    Object.entries(subjects).map(([subject, own]) => [
      `domain/${subject}`,
      [
        ...[...(floor.includes(subject) ? [] : floor), ...own].map((name) => `domain/${name}`),
        ...Object.keys(data).filter((folder) => data[folder].includes(subject)),
      ],
    ]),
  ),
  ...Object.fromEntries(Object.keys(data).map((folder) => [folder, []])),
};

const isInside = (path, folders) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** The path below plugin/, its row of the table, and the room that it is in. */
function locate(path) {
  const own = path.replace(/^plugin\//, "");
  const [top, second] = own.split("/");
  const folder =
    own in house ? own : ["domain", "commands"].includes(top) ? `${top}/${second}` : top;
  return { own, folder, room: top === "commands" && folder !== own ? second : undefined };
}

/** Why this import is none that the house allows, undefined where it is one. */
function refuse(source, target) {
  if (!isInside(target, ["plugin", "webhook"])) return undefined;
  const { own, folder, room } = locate(source);
  const other = locate(target);
  if (!(folder in house)) return `${source} is in no folder of the house`;
  if (other.own in lists)
    return lists[other.own].users.includes(room)
      ? undefined
      : `only ${lists[other.own].users.join(", ")} import ${other.own}`;
  if (room !== undefined && room === other.room) return undefined;
  if (other.room === undefined)
    return isInside(other.own, [folder, ...house[folder]])
      ? undefined
      : `${folder} imports ${house[folder].join(", ") || "itself"} alone`;
  return refuseRoom(own, room, other);
}

function refuseRoom(own, room, other) {
  const file = basename(other.own);
  if (collectors.includes(own)) return undefined;
  if (own in lists)
    return lists[own].files.test(file) ? undefined : `${own} imports one kind of file alone`;
  if (room === undefined) return "outside of the rooms only the lists import them";
  if (!wholes.includes(room) || !parts.includes(other.room))
    return "what two rooms need lies in domain, cmdutil or readers";
  return shown.test(file)
    ? undefined
    : "a whole imports only checks, findings and next of a part's room";
}

/** What acts among all that a file loads, undefined if nothing does. */
function reachesActing(start, { imports }, pathOf) {
  const [seen, todo] = [new Set(), [start]];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (isInside(locate(pathOf(file)).own, acting)) return pathOf(file);
    for (const { target, loads } of imports.get(file)) if (loads) todo.push(target);
  }
  return undefined;
}

export default {
  meta: { type: "problem", schema: [], messages: { refused: "{{ why }}" } },
  create(context) {
    const graph = graphOf(context.sourceCode.parserServices.program);
    const pathOf = (file) => relative(context.cwd, file).split(sep).join("/");
    const source = pathOf(context.filename);
    const report = (node, why) => context.report({ node, messageId: "refused", data: { why } });
    const acts = onlyComputes(source) ? reachesActing(context.filename, graph, pathOf) : undefined;
    return {
      ...eachImport(context, (node, file) => {
        const target = pathOf(file);
        const why = refuse(source, target);
        if (why !== undefined) report(node, why);
      }),
      Program(node) {
        if (acts !== undefined)
          report(node, `a file of this name only computes, and it loads ${acts}`);
      },
    };
  },
};
