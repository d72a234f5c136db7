/**
 * The policies that `policy` prints against the webhook, on one API server: made-up edits are sent
 * as dry runs, first with the policies alone, then with the webhook alone, then with the patched
 * definitions alone. `ENGINE_POLICY_SEED` makes other edits, `ENGINE_POLICY_EDITS` more.
 */
import fc from "fast-check";
import { load, loadAll } from "js-yaml";
import { lookUpCluster, projectCluster } from "../../plugin/domain/rules/clusters";
import { atMost } from "../../plugin/domain/base/concurrency";
import { defaultNames } from "../../plugin/domain/names/names";
import { appGroup, type KubeObject, pathOf } from "./api";
import { namespaceOf } from "./operator";
import { cluster, database } from "./scene";
import { openSuite, type Suite } from "./suite";
import { putNewConfiguration, removeConfigurations, untilCalled } from "./swap-states";
import { until } from "./until";
import { newEntryName } from "./webhook-configurations";

const seed = Number(process.env["ENGINE_POLICY_SEED"] ?? 20_260_101);
const edits = Number(process.env["ENGINE_POLICY_EDITS"] ?? 2_500);

let suite: Suite;
let triples: readonly Triple[];
let printed: readonly KubeObject[];

type Kind = "edb" | "eaadb";
interface Spec {
  readonly version: string | undefined;
  readonly modules: readonly string[];
  readonly reference: string | undefined;
}
/** An edit: what is stored, if anything, and what is sent. */
interface Triple {
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

const version = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("7.2", "7.4", "8.0", "8.2", "8.4", "7.10") },
  { weight: 2, arbitrary: fc.constantFrom("major", "latest", undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("9.9", "7.4.2", "6.2", "v8.0", "Major", "", "8", "07.2", "7.2\n"),
  },
);
const modules = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(
      fc.constantFrom(
        ...["search", "bf", "ReJSON", "mine", "rg", "x", ""],
        // display names, and what only looks like one
        ...["EngineJSON", "EngineGears", "engineBloom 2", "JSON", "rejson", "research", "Engine\n"],
      ),
      { maxLength: 3 },
    ),
  },
);
const places: Readonly<Record<string, readonly (string | undefined)[]>> = {
  own: ["own", "own", "own", "own", "own", "ec", undefined],
  other: ["own", "own", "own", "own", "own", "ec", "gone"],
  third: ["own", "own", "own", "own", "own", "ec"],
  none: ["ec", "ec", "ec", undefined],
  pair: ["own", "two", "own", "two", "own", "two", undefined],
  same: ["ec"],
};
const clusters: Readonly<Record<string, readonly string[]>> = {
  own: ["own"],
  other: ["own"],
  third: ["own"],
  none: [],
  pair: ["own", "two"],
  same: ["ec"],
};

const bundled = fc.oneof(
  fc.constant([]),
  fc.array(
    fc.record({
      dbType: fc.constantFrom("engine", "engine", "engine", "memcached"),
      version: fc.constantFrom("6.2", "7.2", "7.4", "7.4.2", "7.10", "8.0", "8.2", "8.4"),
      major: fc.constantFrom(true, false, false),
    }),
    { minLength: 1, maxLength: 8 },
  ),
);
const installed = fc.uniqueArray(
  fc.constantFrom(
    { name: "search", displayName: "EngineSearch" },
    { name: "ReJSON", displayName: "EngineJSON" },
    { name: "rg", displayName: "EngineGears" },
    { name: "x", displayName: "mine" },
  ),
);
const ec = fc.record({
  policy: fc.constantFrom("major", "major", "latest", undefined),
  userModules: fc.uniqueArray(fc.constantFrom("mine", "rg", "EngineGears")),
  bundledDatabaseVersions: bundled,
  modules: installed,
});

const one = <T>(arbitrary: fc.Arbitrary<T>, count: number, nth: number): readonly T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: seed + nth });

interface Ident {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

function objectOf({ kind, namespace, name }: Ident, spec: Spec): KubeObject {
  const { version: engineVersion, modules: names, reference } = spec;
  const list = { modulesList: names.map((module) => ({ name: module })) };
  const judged = { ...(engineVersion !== undefined && { engineVersion }), ...list };
  const held = reference !== undefined && { engineEnterpriseCluster: { name: reference } };
  const isPlain = kind === "edb";
  return {
    apiVersion: `${appGroup}/v1alpha1`,
    kind: defaultNames[kind].kind,
    metadata: { name, namespace },
    spec: isPlain
      ? { ...judged, ...held }
      : { participatingClusters: [{ name: "a" }], ...held, globalConfigurations: judged },
  };
}

const specOf = (namespace: string) =>
  fc.record({ version, modules, reference: fc.constantFrom(...(places[namespace] ?? [])) });

/** Stored databases of each namespace and kind, with a status or without. */
async function store(): Promise<readonly KubeObject[]> {
  const wanted = Object.keys(places).flatMap((namespace, place) =>
    (["edb", "eaadb"] as const).flatMap((kind) => {
      // where one name stands for two ECs, nothing can be compared
      const count = namespace === "same" ? 1 : 8;
      const specs = one(specOf(namespace), count, 100 + place);
      return specs.map((spec, index) => ({ kind, namespace, spec, index }));
    }),
  );
  const stored: KubeObject[] = [];
  for (const { kind, namespace, spec, index } of wanted) {
    const object = objectOf({ kind, namespace, name: `stored-${String(index)}` }, spec);
    await suite.api.create(object);
    const version = ["7.2.4", "7.4.2", "8.0.1", "unknown"][index % 4];
    if (kind === "edb" && index < 6) await suite.api.writeStatus(object, { version });
    stored.push((await suite.api.read(object)) ?? object);
  }
  return stored;
}

/** What is sent keeps much of what is stored, as edits do. */
function tripleOf(stored: readonly KubeObject[]): fc.Arbitrary<Triple> {
  const made = fc
    .tuple(fc.constantFrom<Kind>("edb", "eaadb"), fc.constantFrom(...Object.keys(places)))
    .chain(([kind, namespace]) =>
      specOf(namespace).map((spec) => ({
        object: objectOf({ kind, namespace, name: "made" }, spec),
        old: undefined,
      })),
    );
  const changed = fc.constantFrom(...stored).chain((old) => {
    const namespace = String(old.metadata.namespace);
    const kind: Kind = old.kind === defaultNames.edb.kind ? "edb" : "eaadb";
    return fc
      .tuple(specOf(namespace), fc.nat(9), fc.nat(9), fc.nat(19))
      .map(([spec, keepVersion, keepModules, moveReference]) => {
        const next = objectOf({ kind, namespace, name: old.metadata.name }, spec);
        const was = old["spec"] as Record<string, unknown>;
        const now = next["spec"] as Record<string, unknown>;
        const inner = (held: Record<string, unknown>) =>
          (kind === "edb" ? held : held["globalConfigurations"]) as Record<string, unknown>;
        const judged = {
          ...inner(now),
          ...(keepVersion < 2 && { engineVersion: inner(was)["engineVersion"] }),
          ...(keepModules < 5 && { modulesList: inner(was)["modulesList"] }),
        };
        const held = moveReference > 0 ? was : now;
        const reference = { engineEnterpriseCluster: held["engineEnterpriseCluster"] };
        const body = kind === "edb" ? { ...judged } : { ...now, globalConfigurations: judged };
        return { object: { ...old, spec: { ...body, ...reference } }, old };
      });
  });
  return fc.oneof({ weight: 1, arbitrary: made }, { weight: 3, arbitrary: changed });
}

interface Answer {
  readonly denied: boolean;
  readonly message: string;
}

/** A dry run: nothing is stored. */
async function sent({ object, old }: Triple): Promise<Answer> {
  const path = `${pathOf(object, old === undefined ? "collection" : "object")}?dryRun=All`;
  const method = old === undefined ? "POST" : "PUT";
  const { status, body } = await suite.api.send(method, path, { body: object });
  const { message = "" } = body as { readonly message?: string };
  if (![200, 201, 422].includes(status)) throw new Error(`${String(status)} ${message}`);
  return { denied: status === 422, message };
}

async function all(): Promise<readonly Answer[]> {
  const bounded = atMost(24);
  return await Promise.all(triples.map((triple) => bounded(() => sent(triple))));
}

/** Whether the policy has to say the same as the webhook; else which documented difference it is. */
type Comparison = "same" | "no EC" | "several ECs" | "two of one name" | "another EC";

let known: readonly NonNullable<ReturnType<typeof projectCluster>>[] = [];

function comparisonOf({ object, old }: Triple): Comparison {
  const namespace = String(object.metadata.namespace);
  const look = (of: KubeObject) => {
    const { engineEnterpriseCluster } = of["spec"] as {
      readonly engineEnterpriseCluster?: { readonly name: string };
    };
    const reference = engineEnterpriseCluster?.name;
    const operatorNamespace = "engine";
    return {
      reference,
      lookup: lookUpCluster({ reference, namespace, operatorNamespace, all: known }),
      named: known.filter(
        (each) => [namespace, "engine"].includes(each.namespace) && each.name === reference,
      ),
    };
  };
  const after = look(object);
  if (old !== undefined && look(old).reference !== after.reference) return "another EC";
  if (after.lookup.is === "missing") return "no EC";
  if (after.lookup.is === "ambiguous") return "several ECs";
  return after.named.length > 1 ? "two of one name" : "same";
}

beforeAll(async () => {
  suite = await openSuite();
  const { api, controlPlane } = suite;
  // active-active databases may have their version at the specification's place, too (C8)
  await patchDefinition("engineenterpriseactiveactivedatabases", [
    {
      op: "add",
      path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/engineVersion",
      value: { type: "string" },
    },
  ]);
  for (const [place, namespace] of Object.keys(places).entries()) {
    await api.create(namespaceOf(namespace));
    const names = clusters[namespace] ?? [];
    for (const [index, made] of one(ec, names.length, place).entries()) {
      const { policy, userModules, bundledDatabaseVersions, modules: shipped } = made;
      const name = String(names[index]);
      const object = cluster({ namespace, name, userModules, ...(policy && { policy }) });
      await api.create(object);
      await api.writeStatus(object, { bundledDatabaseVersions, modules: shipped });
    }
  }
  const listed = await api.send("GET", `/apis/${appGroup}/v1/engineenterpriseclusters`);
  const { items } = listed.body as { readonly items: readonly unknown[] };
  known = items.flatMap((each) => projectCluster(each, defaultNames) ?? []);
  triples = one(tripleOf(await store()), edits, 1_000);
  const { stdout } = await controlPlane.kubectl(["engine", "policy", "-n", "engine"]);
  printed = loadAll(stdout) as readonly KubeObject[];
});
afterAll(() => suite.close());

async function patchDefinition(plural: string, patch: unknown): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${appGroup}`;
  const contentType = "application/json-patch+json";
  const answer = await suite.api.send("PATCH", path, { body: patch as object, contentType });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
}

/** The API server acts on each binding a moment after it was written: each is seen refusing. */
async function untilActing(): Promise<void> {
  const wanted: readonly (readonly [Kind, string, string])[] = [
    ["edb", "own", "own"],
    ["edb", "none", "ec"],
    ["eaadb", "own", "own"],
    ["eaadb", "none", "ec"],
  ];
  for (const [kind, namespace, reference] of wanted) {
    for (const wrong of ["9.9", "none"]) {
      const spec = { version: wrong, modules: [], reference };
      const triple = { object: objectOf({ kind, namespace, name: "probe" }, spec), old: undefined };
      await until(`the policy of ${kind} to refuse in ${namespace}`, async () => {
        const { denied, message } = await sent(triple);
        return (denied && message.includes("[R1]")) || undefined;
      });
    }
  }
}

let byPolicy: readonly Answer[] = [];
let byWebhook: readonly Answer[] = [];

test(`the policies check ${String(edits)} edits of seed ${String(seed)}`, async () => {
  for (const object of printed) await suite.api.create(object);
  await untilActing();
  byPolicy = await all();
  // each refusal is by a rule, and says what to do; none is a failed evaluation
  for (const { denied, message } of byPolicy) {
    if (denied) expect(message).toMatch(/denied request: spec\.[\w.]+: .+; .+ \[(R1|R2|R3|REF)\]$/);
  }
});

test("kubectl names the field, the reason and what to do", async () => {
  const { controlPlane } = suite;
  const patch = '{"spec":{"modulesList":[{"name":"nope"}]}}';
  const args = ["patch", "edb", "sessions", "-n", "engine", "--type=merge", "-p", patch];
  const { code, stderr } = await controlPlane.kubectl(args);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'denied request: spec.modulesList: Not found: "nope": neither bundled nor defined in EC engine/ec; add it to spec.userDefinedModules of that EC or remove it here [R3]',
  );
});

test("a hundred modules against a hundred defined ones stay within the limits", async () => {
  const { api } = suite;
  const many = Array.from({ length: 100 }, (_, index) => `module-${String(index)}`);
  await api.create(namespaceOf("many"));
  const object = cluster({ namespace: "many", name: "many", userModules: many, policy: "major" });
  await api.create(object);
  await api.writeStatus(object, {
    bundledDatabaseVersions: Array.from({ length: 40 }, (_, minor) => ({
      dbType: "engine",
      version: `8.${String(minor)}`,
      major: false,
    })),
    modules: many.map((name) => ({ name, displayName: `${name}-shown` })),
  });
  const send = (modulesOf: readonly string[]) =>
    sent({
      object: database({
        namespace: "many",
        name: "made",
        cluster: "many",
        engineVersion: "8.39",
        modules: modulesOf,
      }),
      old: undefined,
    });
  await until("the EC to be known", async () => {
    const { message } = await send(["nope"]);
    return message.includes('Not found: "nope"') || undefined;
  });
  expect(await send(many)).toEqual({ denied: false, message: "" });
  expect(await send(many.map((name) => `${name}-shown`))).toEqual({ denied: false, message: "" });
  expect((await send([...many.slice(1), "nope"])).message).toContain('Not found: "nope"');
});

test("the webhook alone says the same of the same edits", async () => {
  const { api, scene } = suite;
  for (const object of printed) await api.remove(object);
  for (const kind of ["edb", "eaadb"] as const) {
    const spec = { version: "x", modules: [], reference: "own" };
    const object = objectOf({ kind, namespace: "own", name: "probe" }, spec);
    await until(`the policies of ${kind} to be gone`, async () => {
      return !(await sent({ object, old: undefined })).denied || undefined;
    });
  }
  await putNewConfiguration(api, scene);
  await untilCalled(api, scene, { entry: newEntryName });
  byWebhook = await all();
  const compared: Record<string, number> = {};
  const isOne = (index: number) => byPolicy[index]?.denied === byWebhook[index]?.denied;
  expect(
    triples.filter((triple, index) => comparisonOf(triple) === "same" && !isOne(index)),
  ).toEqual([]);
  triples.forEach((triple, index) => {
    const [policy, webhook] = [byPolicy[index], byWebhook[index]];
    const comparison = comparisonOf(triple);
    const key = `${comparison}, ${webhook?.denied === true ? "refused" : "allowed"}`;
    compared[key] = (compared[key] ?? 0) + 1;
    const seen = { index, triple, policy, webhook };
    // without an EC the policy refuses the form alone, which the webhook refuses too
    const isStricter = policy?.denied === true && webhook?.denied === false;
    if (comparison === "no EC" && isStricter) throw new Error(JSON.stringify(seen));
  });
  const { "same, refused": refused = 0, "same, allowed": allowed = 0 } = compared;
  expect(refused + allowed).toBeGreaterThanOrEqual(edits * 0.8);
  expect(Math.min(refused, allowed)).toBeGreaterThan(edits / 10);
});

test("the definitions alone refuse a part of what the webhook refuses", async () => {
  const { api, controlPlane, scene } = suite;
  await removeConfigurations(api);
  await untilCalled(api, scene, { entry: newEntryName, called: false });
  for (const kind of ["edb", "eaadb"] as const) {
    const { stdout } = await controlPlane.kubectl(["engine", "policy", "--schema", kind]);
    await patchDefinition(defaultNames[kind].plural, load(stdout));
    const spec = { version: "x", modules: [], reference: "own" };
    const object = objectOf({ kind, namespace: "own", name: "probe" }, spec);
    await until("the definition to refuse", async () => {
      return (await sent({ object, old: undefined })).denied || undefined;
    });
  }
  const bySchema = await all();
  bySchema.forEach(({ denied, message }, index) => {
    if (!denied) return;
    expect(message).toContain("Unsupported value: an engine version is a string");
    const stored = { triple: triples[index], message };
    if (byWebhook[index]?.denied !== true) throw new Error(JSON.stringify(stored));
  });
  expect(bySchema.filter(({ denied }) => denied).length).toBeGreaterThan(edits / 100);
});
