/**
 * Each command of the procedure by a user of its own who may do nothing: what is printed with exit 4, or by
 * --print-role, is applied once by kubectl, and the command gets through on a real API server. Without one of
 * its rules it does not begin.
 */
import { releaseShapes } from "../support/releases/versions";
import type { KubeObject } from "./api";
import {
  askedIn,
  type GrantedRule,
  neededFor,
  objectsIn,
  renderRight,
  requestedIn,
  type Right,
  rulesIn,
  withoutRules,
} from "./granted-rules";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { until } from "./until";
import { namespace, openUpgradeScene, type UpgradeScene } from "./upgrade-scene";
import { sampled } from "../support/sampled";

jest.setTimeout(1_200_000);

const version = "7.22.0-7";

type Row = readonly [user: string, words: (release: string) => readonly string[]];

/** In the order of the procedure, from 7.4.2-2: each finds what the one before has left. */
const rows: readonly Row[] = [
  ["checker", (release) => ["check", "--release", release]],
  ["granter", (release) => ["reapply-rbac", "--release", release]],
  ["installer", (release) => ["upgrade-operator", "--release", release]],
  ["guard", (release) => ["upgrade-webhook", "--release", release, "--yes"]],
  ["roller", () => ["upgrade-cluster", "ec", "--target", releaseShapes[version].cluster]],
  ["keeper", () => ["upgrade-database", "config", "--engine-version", "7.4", "--may-discard-data"]],
  ["healer", () => ["recover"]],
  ["everybody", () => ["upgrade", "--release", scene.release("8.0.2-2"), "--yes"]],
];

let scene: UpgradeScene;
beforeAll(async () => {
  scene = await openUpgradeScene({ users: rows.map(([name]) => ({ name })) });
});
afterAll(() => scene.close());

function run(words: readonly string[], user: string): Promise<PluginRun> {
  return scene.whilePlaying(() => runPlugin(scene.controlPlane, words, { namespace, user }));
}

async function applied(manifest: string): Promise<void> {
  const { code, stderr } = await scene.controlPlane.kubectl(["apply", "-f", "-"], {
    input: manifest,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

const namesIn = (manifest: string): ReadonlySet<string> =>
  new Set(objectsIn(manifest).map(({ metadata }) => metadata.name));

test("every Role has a name of its own: none takes the place of another's", async () => {
  const [words, others] = [["check"], ["status"]];
  const runs = [await run(words, "checker"), await run(words, "granter")];
  const printed = [...runs, await run(others, "checker"), await run(words, "checker")].map(
    ({ report }) => [...namesIn(report.permissions?.manifest ?? "")],
  );
  expect(printed.map((list) => list.length)).toEqual([1, 1, 1, 1]);
  expect(new Set(printed.flat()).size).toBe(3);
  expect(printed[3]).toEqual(printed[0]);
});

test.each(rows)("%s applies what is printed once, and gets through", async (user, words) => {
  const line = words(scene.release(version));
  const refused = await run(line, user);
  expect([refused.code, refused.writes]).toEqual([4, []]);
  await applied(refused.report.permissions?.manifest ?? "");

  const { code, report } = await run(line, user);

  // `check` may find something: then it does by whoever may do everything
  const wanted = line[0] === "check" ? (await run(line, runner.name)).code : 0;
  const { permissions, exit } = report;
  expect([code, permissions?.missing, exit.reason]).toEqual([wanted, undefined, exit.reason]);
});

const isLookedAtBeside = ({ verb, resource }: Right): boolean =>
  resource === "pods/portforward" ||
  (verb === "list" && ["events", "nodes", "pods", "replicasets"].includes(resource));

describe("exactly the Role that --print-role prints", () => {
  const writing: readonly Row[] = [
    ["granter-2", (release) => ["reapply-rbac", "--release", release, "--yes"]],
    ["installer-2", (release) => ["upgrade-operator", "--release", release, "--yes"]],
    ["guard-2", (release) => ["upgrade-webhook", "--release", release, "--yes"]],
    ["roller-2", () => ["upgrade-cluster", "ec", "--target", releaseShapes[version].cluster]],
    [
      "narrower-2",
      (release) => ["reapply-rbac", "--mode", "contract", "--release", release, "--yes"],
    ],
    [
      "keeper-2",
      () => ["upgrade-database", "config", "--engine-version", "7.4", "--may-discard-data"],
    ],
    ["everybody-2", () => ["upgrade", "--release", own.release("8.0.2-2"), "--yes"]],
    ["renewer-2", () => ["cert", "create", "--replace", "--yes"]],
  ];

  let own: UpgradeScene;
  beforeAll(async () => {
    own = await openUpgradeScene({ users: writing.map(([name]) => ({ name })) });
  });
  afterAll(() => own.close());

  const type = (words: readonly string[], user: string): Promise<PluginRun> =>
    own.whilePlaying(() => runPlugin(own.controlPlane, words, { namespace, user }));

  async function printed(words: readonly string[], user: string): Promise<readonly KubeObject[]> {
    const line = ["engine", ...words, "-n", namespace, "--print-role", "--as", user];
    const { code, stdout } = await own.controlPlane.kubectl(line);
    expect(code).toBe(0);
    return objectsIn(stdout);
  }

  /** Stores the Roles, and waits until the server answers by them. */
  async function grant(
    objects: readonly KubeObject[],
    {
      user,
      seen,
    }: { readonly user: string; readonly seen: readonly (readonly [Right, boolean])[] },
  ): Promise<void> {
    for (const object of objects) {
      await own.cluster.apply(object as never, { fieldManager: "test", force: true });
    }
    for (const [right, allowed] of seen) {
      await until(`${renderRight(right)}: ${String(allowed)}`, async () =>
        (await isAllowed(user, right)) === allowed ? true : undefined,
      );
    }
  }

  async function isAllowed(user: string, right: Right): Promise<boolean> {
    const [resource, subresource] = right.resource.split("/");
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        ...{ user, groups: ["system:authenticated"] },
        resourceAttributes: { ...right, resource, subresource },
      },
    };
    const { status } = (await own.cluster.create(review)) as never as {
      readonly status: { readonly allowed: boolean };
    };
    return status.allowed;
  }

  const rendered = (rules: readonly GrantedRule[]): readonly string[] =>
    rules.flatMap(({ rights }) => rights.map(renderRight)).sort();

  test.each(writing)(
    "%s gets through with it; without one of its rules nothing is written",
    async (user, words) => {
      const line = words(own.release(version));
      const role = await printed(line, user);
      const rules = rulesIn(role);
      const first = rules.flatMap(({ rights }) => rights.slice(0, 1));
      const whole = first.map((right) => [right, true] as const);
      await grant(role, { user, seen: whole });

      const before = await own.controlPlane.auditMark();
      const dry = await type([...line, "--dry-run=server"], user);
      expect([dry.code, dry.report.permissions?.missing, dry.writes]).toEqual([0, undefined, []]);
      const heard = await own.controlPlane.auditEvents(before);
      const asked = neededFor(rules, [...askedIn(heard, user), ...requestedIn(heard, user)]);
      const needed: GrantedRule[] = [];
      const ends: unknown[] = [];
      const tried: GrantedRule[] = [];
      const chosen = sampled(asked);
      for (const rule of [...chosen, ...asked.filter((one) => !chosen.includes(one))]) {
        // a sample in which no rule is needed would show nothing
        if (tried.length >= chosen.length && needed.length > 0) break;
        tried.push(rule);
        const [right] = rule.rights;
        if (right === undefined) throw new Error("a rule that grants nothing");
        await grant(withoutRules(role, [rule]), { user, seen: [[right, false]] });
        // what is asked for or read may be done without, and the end is as before
        const without = await type([...line, "--dry-run=server"], user);
        if (without.code === 0) continue;
        needed.push(rule);
        const { code, writes, report } = await type(line, user);
        const { missing = [] } = report.permissions ?? {};
        const named = rule.rights.filter((one) =>
          missing.some((text) => text.startsWith(renderRight(one).split(/ "| in /)[0] ?? "")),
        );
        ends.push([renderRight(right), without.code, code, named.length > 0, writes]);
      }
      const wanted = needed.map(({ rights: [right] }) => right && renderRight(right));
      expect(ends).toEqual(wanted.map((one) => [one, 4, 4, true, []]));
      expect(needed).not.toEqual([]);

      // what another cluster alone takes, or what it does without and then judges less
      const left = asked.filter((rule) => !tried.includes(rule));
      const others = rules.filter((rule) => !needed.includes(rule) && !left.includes(rule));
      const denied = others.flatMap(({ rights }) => rights.slice(0, 1));
      await grant(withoutRules(role, others), {
        user,
        seen: denied.map((right) => [right, false] as const),
      });
      const bare = await type([...line, "--dry-run=server"], user);
      expect([bare.code, bare.report.exit.reason, bare.writes]).toEqual([
        0,
        bare.report.exit.reason,
        [],
      ]);

      // lists that only tell why nothing moves, and ways to each pod, are asked for after the write: the run
      // does without them as well
      const beside = others.filter(({ rights }) => rights.every(isLookedAtBeside));
      await grant(withoutRules(role, beside), {
        user,
        seen: whole.filter(([right]) => !isLookedAtBeside(right)),
      });
      const mark = await own.controlPlane.auditMark();
      const { code, report } = await type(line, user);
      expect([code, report.exit.reason]).toEqual([0, report.exit.reason]);
      const sent = requestedIn(await own.controlPlane.auditEvents(mark), user);
      const known = requestedIn(heard, user).map(renderRight);
      const late = neededFor(
        others.filter((rule) => !beside.includes(rule)),
        sent.filter((right) => !known.includes(renderRight(right))),
      );
      expect(rendered(late)).toEqual([]);
    },
  );
});
