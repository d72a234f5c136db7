/**
 * Under a names file that renames every key, nothing that the program prints has a word of the
 * specification, but those that are fixed (test/support/fixed-words.ts). The words that are looked
 * for are those of the default names themselves: a new key is looked for from its first day.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../../plugin/commands/explain/catalogue";
import {
  defaultNames,
  kinds,
  mapNames,
  type Names,
  namesTree,
  renderTerm,
} from "../../../plugin/domain/names/names";
import { judgeNames } from "../../../plugin/domain/names/judge";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { entries, parents } from "../../../plugin/cli/commands";
import { exampleSource } from "../../../plugin/simulator/example";
import { englishWords, fixedPlaces, kubernetesWords } from "../../support/fixed-words";
import { otherNames } from "../../support/other-names";
import { startOfRun, typed } from "../../support/program-world";
import { usable } from "../../support/renamed";
import { aWebhookProgram } from "../../support/webhook-program";
import { aFolder } from "../../support/a-folder";

const names: Names = usable(judgeNames(otherNames));

let folder = "";
let file = "";
const program = aWebhookProgram();
beforeAll(() => {
  folder = aFolder("words");
  file = join(folder, "names.json");
  writeFileSync(file, JSON.stringify(otherNames));
});

/** Every word of the default names. */
const words = new Set(kinds.map((kind) => renderTerm(defaultNames[kind])));
mapNames(namesTree, ({ value }) => {
  for (const word of [value].flat()) words.add(word);
});
const fixed = new Set([...kubernetesWords, ...englishWords]);
const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const longestFirst = [...words].sort((one, other) => other.length - one.length).map(escaped);
const pattern = new RegExp(`(?<![A-Za-z0-9_])(?:${longestFirst.join("|")})s?(?![A-Za-z0-9_])`, "g");

const met = new Set<string>();
const places = new Set<RegExp>();

/** The neutral words of a text, each with what stands around it. */
function neutralIn(text: string): readonly string[] {
  const own = text.replaceAll(folder, "").replaceAll(program.file, "");
  const rest = fixedPlaces.reduce((held, [place]) => {
    const left = held.replaceAll(place, "…");
    if (left !== held) places.add(place);
    return left;
  }, own);
  return [...rest.matchAll(pattern)].flatMap(({ 0: found, index }) => {
    const word = words.has(found) ? found : found.replace(/s$/, "");
    met.add(word);
    if (fixed.has(word)) return [];
    return [rest.slice(Math.max(0, index - 50), index + word.length + 30)];
  });
}

async function said(argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const scene = {
    env: { ENGINE_NAMES: file, HOME: folder, ENGINE_HOME: join(folder, "home"), ...env },
  };
  const { code, out, err } = await typed(argv, scene);
  return { code, found: neutralIn(out + err) };
}

test("the file renames every key, and no word stays", () => {
  const kept: string[] = [];
  mapNames(namesTree, ({ value, sort }, path) => {
    const given = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], names);
    const texts = [given].flat().slice(sort.isPath === true ? 1 : 0);
    kept.push(...texts.map(String).filter((text) => [value].flat().includes(text)));
  });
  expect(kept).toEqual([]);
});

test.each(catalogue.map(({ code }) => [code]))("explain %s", async (code) => {
  expect(await said(["explain", code])).toEqual({ code: 0, found: [] });
});

const helped = [...Object.keys(parents), ...entries.map(({ path }) => path)];
test.each([
  ["--help"],
  ["options"],
  ["options --names"],
  ["check --list"],
  ["check --list -o json"],
  ...helped.map((path) => [`${path} --help`]),
])("%s", async (line) => {
  const argv = [...line.split(" "), ...(line.endsWith("--names") ? [file] : ["--names", file])];
  expect(await said(argv)).toEqual({ code: 0, found: [] });
});

test.each([[""], ["cert "], ["modules "], ["explain "], ...helped.map((path) => [`${path} --`])])(
  "completion of %j",
  async (line) => {
    expect(await said(["__complete", ...line.split(" ")])).toEqual({ code: 0, found: [] });
  },
);

describe("a rehearsal on the example", () => {
  test.each([
    ["", 0],
    ["upgrade", 0],
    ["upgrade-webhook", 0],
    ["upgrade-operator", 0],
    [`upgrade-cluster ${names.operator.olmCluster} --auto`, 3],
    ["upgrade-database --all --engine-version 9.9", 3],
    ["reapply-rbac", 0],
    ["unbind-scc", 0],
    ["recover", 0],
    ["status", 0],
    ["check", 3],
    ["modules list", 0],
    ["modules in-use", 0],
    ["cert create --replace", 0],
    ["cert inspect", 0],
  ])("of %j", async (line, code) => {
    const argv = ["rehearse", `--webhook=${program.file}`, ...line.split(" ").filter(Boolean)];
    expect(await said([...argv, "-o", "json"])).toEqual({ code, found: [] });
  });

  test.each([["upgrade"], ["status"], ["check"], ["modules list"]])(
    "of %j, as text",
    async (line) => {
      const { found } = await said(["rehearse", `--webhook=${program.file}`, ...line.split(" ")]);
      expect(found).toEqual([]);
    },
  );
});

/** The example, with much of it out of order. */
async function brokenDump(): Promise<string> {
  const { objects } = await exampleSource(names, startOfRun);
  const items = objects.flatMap((object) => brokenParts(structuredClone(object)));
  const path = join(folder, "dump.json");
  writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  return path;
}

function put(object: KubeObject, path: readonly string[], value: unknown): void {
  const last = path.at(-1) ?? "";
  const holder = path.slice(0, -1).reduce<Record<string, unknown>>(
    (at, key) => {
      at[key] ??= {};
      return at[key] as Record<string, unknown>;
    },
    object as unknown as Record<string, unknown>,
  );
  holder[last] = value;
}

function brokenParts(object: KubeObject): readonly KubeObject[] {
  const { ec, edb, ecFields, fields, entryFields, edbFields, rbac, webhook } = names;
  if (object.kind === ec.kind) {
    put(object, ecFields.state, "InvalidUpgrade");
    put(object, ecFields.specStatus, "Invalid");
    put(object, ecFields.licenseState, "Expired");
    put(object, ecFields.digestHash, "sha256:00");
    put(object, ecFields.autoUpgrade, true);
    put(object, ecFields.autoUpgradeDirect, false);
    put(object, ecFields.credentialSecretName, "nowhere");
    put(object, ecFields.pullSecrets, [{ name: "nowhere" }]);
    put(object, fields.userDefinedModules, [{ [entryFields.userModuleName]: "mine" }]);
  }
  if (object.kind === edb.kind) {
    put(object, fields.engineVersion, "6.2");
    put(object, ["spec", ...fields.moduleLists.slice(0, 1)], [{ [entryFields.moduleName]: "own" }]);
    put(object, edbFields.upgradeModulesToLatest, true);
    put(object, edbFields.specStatus, "Invalid");
    put(object, fields.clusterReference, "nobody");
  }
  if (object.kind === "Deployment") put(object, ["spec", "replicas"], 3);
  const gone = [rbac.consumerBinding, webhook.secret, webhook.service];
  return gone.includes(object.metadata.name ?? "") ? [] : [object];
}

describe("a rehearsal on a broken cluster", () => {
  test.each([
    ["check"],
    ["status"],
    ["recover"],
    ["recover --apply --drop-digests"],
    ["upgrade"],
    ["upgrade-webhook"],
    ["upgrade-cluster --auto"],
    ["upgrade-database --all --engine-version 7.4 --may-discard-data"],
    ["reapply-rbac"],
    ["unbind-scc"],
    ["modules in-use"],
  ])("of %j", async (line) => {
    const from = [`--from=${await brokenDump()}`, "-n", names.operator.namespace];
    const argv = ["rehearse", `--webhook=${program.file}`, ...from, ...line.split(" ")];
    const { found } = await said([...argv, "-o", "json"]);
    expect(found).toEqual([]);
  });
});

test("what is fixed is a word of the names, and is met", () => {
  expect([...fixed].filter((word) => !met.has(word))).toEqual([]);
  expect(fixedPlaces.filter(([place]) => !places.has(place))).toEqual([]);
});
