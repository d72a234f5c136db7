/**
 * Dumps that hold a field of a built-in kind otherwise than an API server stores it: `check`, `status` and `recover`
 * name the object, nothing of it turns a verdict to the better, and nothing ends with an internal error.
 *
 * `ENGINE_MISFITS=100000 npx jest --testPathIgnorePatterns /node_modules/ misfit-fields` tries every field with every
 * value; `ENGINE_FUZZ_SEED` another sample.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsalDetails } from "../../../../plugin/commands/rehearse/text";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { getOwn, isObject } from "../../../../plugin/domain/base/values";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { Report } from "../../../../plugin/kernel/report";
import { exampleSource } from "../../../../plugin/simulator/example";
import { builtInKinds } from "../../../../plugin/adapters/schema/schema";
import { aFolder } from "../../../support/a-folder";
import { startOfRun, typed } from "../../../support/program-world";
import { Dump, ns } from "./held-clusters";
import { moving, standing } from "./held-states";

const count = Number(process.env["ENGINE_MISFITS"] ?? 24);
const seed = Number(process.env["ENGINE_FUZZ_SEED"] ?? 20_260_101);

type Path = readonly (string | number)[];

interface Scene {
  readonly items: readonly unknown[];
  readonly namespace: string;
}

interface Case {
  readonly scene: Scene;
  readonly item: number;
  readonly path: Path;
  /** The field as a finding has it. */
  readonly field: string;
  readonly value: unknown;
  readonly was: unknown;
}

/** What a field is replaced by. */
const values: readonly unknown[] = [null, 7, "x", [7], { x: 7 }];
const commands = ["check", "status", "recover"];

let scenes: readonly Scene[] = [];
let folder = "";
beforeAll(async () => {
  folder = aFolder("misfits");
  const example = await exampleSource(defaultNames, startOfRun);
  const dumps = [...standing, ...moving].map(({ change }) => {
    const dump = new Dump();
    change(dump);
    return { items: dump.items, namespace: ns };
  });
  scenes = [{ items: example.objects, namespace: "engine" }, ...dumps];
});

const isBuiltIn = (object: unknown): boolean =>
  isObject(object) &&
  builtInKinds.some(
    ({ group, version, kind }) =>
      object["kind"] === kind &&
      object["apiVersion"] === (group === "" ? version : `${group}/${version}`),
  );

function* fieldsOf(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, inner] of entries) {
    const at = [...path, key];
    // without these there is no object
    if (!["kind", "apiVersion", "metadata.name", "metadata"].includes(at.join("."))) yield at;
    yield* fieldsOf(inner, at);
  }
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);

const maps = ["properties", "labels", "annotations", "data", "matchLabels", "limits", "requests"];

/** The path without the keys of maps and lists, and the same of every schema within a schema. */
function patternOf(path: Path): string {
  const keys = path.map((key, at) =>
    typeof key === "number" || maps.includes(String(path[at - 1])) ? "*" : key,
  );
  return keys
    .join(".")
    .replace(/(openAPIV3Schema)(\.(properties\.\*|items|not|(oneOf|anyOf|allOf)\.\*))+/, "$1.inner")
    .replace(/fieldsV1\..*/, "fieldsV1");
}

/** Each field of each kind once, where it first occurs, with every value. */
function listCases(): readonly Case[] {
  const met = new Set<string>();
  return scenes.flatMap((scene) =>
    scene.items.flatMap((object, item) => {
      if (!isBuiltIn(object)) return [];
      return [...fieldsOf(object)].flatMap((path) => {
        const was = valueAt(object, path);
        const pattern = patternOf(path);
        const key = `${(object as { kind: string }).kind} ${pattern} ${typeOf(was)}`;
        if (met.has(key)) return [];
        met.add(key);
        const field = path
          .map((part, at) =>
            typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${part}`,
          )
          .join("");
        return values.map((value) => ({ scene, item, path, field, value, was }));
      });
    }),
  );
}

/** A shuffled list that is the same for a seed. */
function shuffled<T>(list: readonly T[]): readonly T[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return list
    .map((value) => ({ value, rank: next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ value }) => value);
}

const removed = Symbol("removed");

function withValueAt({ scene, item, path }: Case, value: unknown): readonly unknown[] {
  const items = structuredClone(scene.items) as unknown[];
  const holder = valueAt(items[item], path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) ?? "";
  if (value === removed) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return items;
}

interface Outcome {
  readonly code: number;
  readonly err: string;
  /** Of the dump itself. */
  readonly dump: readonly Finding[];
  readonly stage: Report | undefined;
}

async function rehearse(command: string, { items, namespace }: Scene): Promise<Outcome> {
  const file = join(folder, "dump.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const env = { ENGINE_HOME: join(folder, "home"), HOME: folder };
  const words = ["rehearse", command, "--from", file, "-n", namespace, "-o", "json"];
  const { code, out, err } = await typed(words, { env });
  const report = out === "" ? undefined : (JSON.parse(out) as Report);
  const details = report?.details as RehearsalDetails | undefined;
  return { code, err, dump: report?.findings ?? [], stage: details?.stages[0]?.report };
}

const bases = new Map<string, Promise<Outcome>>();
function baseOf(command: string, scene: Scene): Promise<Outcome> {
  const key = `${command} ${scenes.indexOf(scene)}`;
  const known = bases.get(key) ?? rehearse(command, scene);
  bases.set(key, known);
  return known;
}

const errorsOf = ({ stage }: Outcome): readonly string[] =>
  (stage?.findings ?? [])
    .filter(({ severity }) => severity === "error")
    .map(({ code, object }) => `${code} ${String(object)}`)
    .sort();

/** Every verdict of a document of status, by its place. */
function* verdictsIn(value: unknown, place = ""): Generator<readonly [string, unknown]> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (["is", "verdict"].includes(key) && typeof inner === "string") yield [place, inner];
    yield* verdictsIn(inner, `${place}/${key}`);
  }
}

const fineIn = ({ stage }: Outcome): readonly string[] =>
  [...verdictsIn(stage?.details)].flatMap(([place, is]) => (is === "fine" ? [place] : []));

/** Where a kind has more than one type. */
function takesAny({ field, value, was }: Case): boolean {
  if (was === null) return true;
  if (/openAPIV3Schema/.test(field)) {
    return Array.isArray(value) || /\.(default|enum|example)\b/.test(field);
  }
  const isScalar = typeof value === "number" || typeof value === "string";
  return /fieldsV1/.test(field) || (isScalar && quantityOrPort.test(field));
}

const quantityOrPort =
  /(^|\.)(port|targetPort|maxSurge|maxUnavailable|minAvailable|(limits|requests|hard|used|capacity|allocatable)\.[\w./-]+)$/;

const gravity = [0, 2, 3, 4, 5, 124, 69, 6, 7, 8, 1, 70];

/** What no dump may lead to. */
function findCrash({ code, err, stage }: Outcome): readonly string[] {
  const isBroken = (stage?.findings ?? []).some((finding) => finding.code === "CHECK-BROKEN");
  return [
    ...(code === 70 || /\n {4}at /.test(err) ? [`ends with ${code}: ${err.slice(-1500)}`] : []),
    ...(isBroken ? ["a check is broken"] : []),
  ];
}

/** Null is as good as nothing; a key of a map is there with null, too. */
async function compareWithAbsent(one: Case, command: string, found: Outcome) {
  const isField = typeof one.path.at(-1) === "string" && !maps.includes(String(one.path.at(-2)));
  if (one.value !== null || !isField) return [];
  const absent = await rehearse(command, { ...one.scene, items: withValueAt(one, removed) });
  const [is, wanted] = [found, absent].map((each) => [each.code, ...errorsOf(each)].join(", "));
  return is === wanted ? [] : [`with null ${is}, where it is absent ${wanted}`];
}

/** What is better than where all fields fit. */
async function compareWithBase({ scene }: Case, command: string, found: Outcome) {
  const base = await baseOf(command, scene);
  const fine = new Set(fineIn(base));
  const better = fineIn(found).filter((place) => !fine.has(place));
  const isLower = gravity.indexOf(found.code) < gravity.indexOf(base.code);
  return [
    ...better.map((place) => `${place} is now healthy`),
    ...(isLower || found.code === 0
      ? [`ends with ${found.code}, and with ${base.code} before`]
      : []),
    ...(base.dump.some(isMisfit) ? ["a field of the scene itself is named"] : []),
  ];
}

const isMisfit = ({ code }: Finding): boolean => code === "DUMP-FIELD-TYPE";

async function tryCase(one: Case, command: string): Promise<readonly string[]> {
  const { scene, value, was, field } = one;
  const found = await rehearse(command, { ...scene, items: withValueAt(one, value) });
  const crash = findCrash(found);
  // the dump as a whole is refused, with every problem
  if (found.code === 2 && found.stage === undefined) return crash;
  const named = found.dump.some((finding) => isMisfit(finding) && finding.cause.includes(field));
  if (named) return [...crash, ...(await compareWithBase(one, command, found))];
  const isOther = value !== null && typeOf(value) !== typeOf(was) && !takesAny(one);
  return [
    ...crash,
    ...(isOther ? ["is not named"] : []),
    ...(await compareWithAbsent(one, command, found)),
  ];
}

test("a field of another type, or null", async () => {
  const all = listCases().flatMap((one) => commands.map((command) => ({ one, command })));
  const failures: string[] = [];
  for (const { one, command } of shuffled(all).slice(0, count)) {
    const wrong = await tryCase(one, command);
    const { kind } = one.scene.items[one.item] as { kind: string };
    const place = `scene ${scenes.indexOf(one.scene)}, ${kind} ${one.field}`;
    const title = `${command}, ${place} = ${JSON.stringify(one.value)}`;
    failures.push(...wrong.map((what) => `${title}: ${what}`));
  }
  expect(failures).toEqual([]);
}, 7_200_000);

describe("what depends on the object is unknown:", () => {
  const withField = (kind: string, path: readonly string[], value: unknown): Scene => {
    const dump = new Dump();
    const found = dump.items.find((one) => one.kind === kind);
    const holder = path.slice(0, -1).reduce<unknown>((inner, key) => getOwn(inner, key), found);
    (holder as Record<string, unknown>)[path.at(-1) ?? ""] = value;
    return { items: dump.items, namespace: ns };
  };

  test.each([
    ["Pod", ["spec", "containers"], "pods"],
    ["StatefulSet", ["status", "readyReplicas"], "statefulSets"],
    ["Deployment", ["spec", "template", "spec", "containers"], "deployments"],
  ])("%s %p", async (kind, path, key) => {
    const scene = withField(kind, path, "x");
    const why = new RegExp(`^${kind}/${ns}/.* has a value of another type in ${path.join(".")}$`);

    const status = await rehearse("status", scene);
    const reasons = [...textsIn(status.stage?.details, "because")];
    expect([status.code, reasons.some((one) => why.test(one))]).toEqual([3, true]);
    expect([...verdictsIn(status.stage?.details)].map(([, is]) => is)).toContain("unknown");

    const check = await rehearse("check", scene);
    const left = [...textsIn(check.stage?.details, "because")];
    expect(left.some((one) => one.startsWith("unread: ") && one.includes(key))).toBe(true);
    expect(check.stage?.findings).toContainEqual(
      expect.objectContaining({
        code: "CHECK-NOT-JUDGED",
        object: kind,
        fix: "correct the dump as its own findings say, then rehearse again",
      }),
    );
    expect(check.stage?.permissions).toBeUndefined();

    const recover = await rehearse("recover", scene);
    expect(recover.code).toBe(3);
    expect(recover.stage?.findings).toContainEqual(
      expect.objectContaining({ cause: expect.stringContaining("could not be read: ") as string }),
    );
  });
});

function* textsIn(value: unknown, name: string): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === name && typeof inner === "string") yield inner;
    yield* textsIn(inner, name);
  }
}
