/** Every constellation of grants on the real API server, with the constraints as a custom resource. */
import { rmSync, readFileSync } from "node:fs";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { defaultNames } from "../../plugin/domain/names/names";
import { getOwn } from "../../plugin/domain/base/values";
import { exampleDefinitions } from "../../plugin/simulator/example";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import { constellations } from "../plugin/commands/unbind-scc/way-ins";
import { expectNobodyElseLost, mayUse, snapshotOf } from "../plugin/commands/unbind-scc/laws";
import {
  aConstraint,
  account,
  aNamespace,
  anEc,
  granted,
  type AccountReview,
  placeNamed,
  user,
} from "../plugin/commands/unbind-scc/objects";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { type PluginRun, runPlugin, runner } from "./plugin-run";
import { until } from "./until";
import { sampled } from "../support/sampled";

const constraintsName = "securitycontextconstraints.security.openshift.io";
const definitions = exampleDefinitions(defaultNames);

let controlPlane: ControlPlane;
let cluster: KubeClient;
beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  cluster = await connect({ kubeconfig: controlPlane.kubeconfig }, {});
});
afterAll(async () => {
  cluster.close();
  await controlPlane.stop();
});

const unbind = (
  { ns, scc }: AccountReview,
  args: readonly string[] = [],
  user_ = runner.name,
): Promise<PluginRun> =>
  runPlugin(controlPlane, ["unbind-scc", "--scc", scc, ...args], { namespace: ns, user: user_ });

const codesOf = ({ report }: PluginRun): readonly string[] =>
  [...new Set((report.findings ?? []).map(({ code }) => code))].sort();

/** The writes as `verb plural`, from what the audit log gives as `verb name`. */
const verbsOf = ({ writes }: PluginRun): readonly string[] =>
  writes.map((line) => line.split(" ")[0] ?? "");

test("a cluster without the API group: nothing to do, in one line", async () => {
  await Promise.all(
    definitions
      .filter(({ metadata }) => metadata.name !== constraintsName)
      .map((definition) => cluster.create(definition)),
  );
  const result = await controlPlane.kubectl(["engine", "unbind-scc", "-n", "default"]);
  expect(result.code).toBe(0);
  expect(result.stdout.trim().split("\n")).toHaveLength(1);
  expect(result.stdout).toContain("not OpenShift");
});

describe("on OpenShift", () => {
  beforeAll(async () => {
    await Promise.all(
      definitions
        .filter(({ metadata }) => metadata.name === constraintsName)
        .map((definition) => cluster.create(definition)),
    );
    for (const group of ["security.openshift.io/v1", "app.engine.com/v1"]) {
      const [name = "", version = ""] = group.split("/");
      await until(`${group} to be served`, async () =>
        (await cluster.serves(name, version)) === undefined ? undefined : true,
      );
    }
    await until("constraints to be stored", async () => {
      const probe = await cluster.create(aConstraint("probe"), { dryRun: true });
      return probe;
    });
  });

  const cases = constellations.map((constellation, index) => ({ ...constellation, index }));
  test.each(sampled(cases))("$name", async (wanted) => {
    const { exit, codes, writes, constraint, may, account: name = "ec", beside, index } = wanted;
    const place = placeNamed(`case-${String(index)}`);
    const { ns, other, scc } = place;
    for (const object of [aNamespace(ns), aNamespace(other), ...wanted.objects(place)]) {
      await cluster.create(object, { fieldManager: "kubectl-create" });
    }
    const before = await snapshotOf(cluster, place);

    const dry = await unbind(place, ["--dry-run=server"]);
    expect([dry.report.exit.code, dry.writes]).toEqual([exit, []]);
    const run = await unbind(place, ["--yes"]);

    // the places of other cases have an operator, and then one without is refused for that
    const seen = codes.map((code) => (code === "SCC-NO-EC" ? "OPERATOR-ELSEWHERE" : code));
    expect([run.report.exit.code, codesOf(run)]).toEqual([exit, seen]);
    expect(verbsOf(run)).toEqual(writes.map((line) => line.split(" ")[0]));
    const after = await snapshotOf(cluster, place);
    expectNobodyElseLost(before, after, {
      ...{ namespace: ns, name, beside: beside?.(place) ?? [] },
    });
    expect(after.has(`SecurityContextConstraints/${scc}`)).toBe(constraint === "kept");
    const answers = await Promise.all(
      [ns, other].map((namespace) => mayUse(cluster, place, { name: user(ns, name), namespace })),
    );
    expect(answers.includes(true)).toBe(may === true);

    const again = await unbind(place, ["--yes"]);
    expect([again.report.exit.code, again.writes]).toEqual([exit, []]);
  });

  test.each([
    { what: "deleted", name: "back", users: [], subjects: [] },
    {
      what: "changed, since others stay",
      name: "back-shared",
      users: ["someone"],
      subjects: [account("elsewhere")],
    },
  ])("the printed commands put back what was $what", async ({ name, users, subjects }) => {
    const place = placeNamed(name);
    const { ns, other, scc } = place;
    const objects = [
      aNamespace(ns),
      aNamespace(other),
      anEc(ns),
      aConstraint(scc, { users: [user(ns), ...users] }),
      ...granted(scc, { subjects: [account(ns), ...subjects], namespace: ns }),
      // bound in another namespace than that of the run
      ...granted(scc, { subjects: [account(ns), ...subjects], namespace: other }).slice(1),
    ];
    for (const object of objects) await cluster.create(object);
    const before = await snapshotOf(cluster, place);
    const run = await unbind(place, ["--yes"]);
    expect(run.report.exit.code).toBe(0);
    expect(await mayUse(cluster, place, { name: user(ns), namespace: ns })).toBe(false);

    for (const { command, file } of run.report.backups ?? []) {
      expect(readFileSync(file, "utf8")).not.toContain("resourceVersion");
      const [, ...words] = command.split(" ");
      const result = await controlPlane.kubectl(words);
      expect({ code: result.code, stderr: result.stderr }).toMatchObject({ code: 0 });
      rmSync(file);
    }
    const after = await snapshotOf(cluster, place);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [label, object] of before) {
      for (const field of ["users", "subjects"]) {
        expect([label, getOwn(after.get(label), field)]).toEqual([label, getOwn(object, field)]);
      }
    }
    await until("the access that was put back to be known", async () => {
      return (await mayUse(cluster, place, { name: user(ns), namespace: ns })) || undefined;
    });
  });

  test("without permissions: 4, with the roles to ask for, and with those it goes through", async () => {
    const place = placeNamed("rights");
    const { ns, other, scc } = place;
    const objects = [
      aNamespace(ns),
      aNamespace(other),
      anEc(ns),
      aConstraint(scc, { users: [user(ns)] }),
      ...granted(scc, { subjects: [account(ns), account(other)], namespace: ns }),
    ];
    for (const object of objects) await cluster.create(object);
    const refused = await unbind(place, ["--yes"], "restricted");
    expect([refused.report.exit.code, refused.writes]).toEqual([4, []]);
    const applied = await controlPlane.kubectl(["apply", "-f", "-"], {
      input: refused.report.permissions?.manifest ?? "",
    });
    expect({ code: applied.code, stderr: applied.stderr }).toMatchObject({ code: 0 });
    await until("the rights to be known", async () => {
      const tried = await unbind(place, ["--dry-run=server"], "restricted");
      return tried.report.exit.code === 0 || undefined;
    });
    const run = await unbind(place, ["--yes"], "restricted");
    expect([run.report.exit.code, codesOf(run)]).toEqual([0, ["SCC-IN-USE"]]);
  });
});
