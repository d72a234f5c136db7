import { readFileSync } from "node:fs";
import { openHome } from "../../../plugin/adapters/home";
import type { GlobalOptions } from "../../../plugin/commands/context";
import { runUnbindScc } from "../../../plugin/commands/unbind-scc";
import { defaultNames } from "../../../plugin/domain/names";
import { constraintResource } from "../../../plugin/domain/scc/grants";
import { commandAt } from "../../support/program-world";
import { rehearse } from "../../../plugin/program/commands";
import { aCommandContext } from "../../support/command-context";
import { aScene } from "../run/scc/memory-scene";
import { aConstraint, account, anEc, aNamespace, granted, user } from "../run/scc/objects";
import { aFolder } from "../../support/a-folder";

let home = "";
beforeEach(() => {
  home = aFolder("home");
});

const scc = defaultNames.scc.current;

function aContext(options: Partial<GlobalOptions> = {}) {
  const { cluster, clock } = aScene([
    aNamespace("engine"),
    anEc("engine"),
    aConstraint(scc, { users: [user("engine"), "zoe"] }),
    aConstraint(defaultNames.scc.older),
    ...granted(scc, { subjects: [account("engine")], namespace: "engine" }),
  ]);
  const homeOf = () => Promise.resolve(openHome({ ENGINE_HOME: home }, { clock }));
  const context = aCommandContext({ cluster, clock }, options, { home: homeOf });
  return { context, cluster };
}

test("the constraint of the specification is unbound, and what was there is kept in files", async () => {
  const { context, cluster } = aContext();
  const report = await runUnbindScc(context, [], {});
  expect(report).toMatchObject({
    kind: "UnbindScc",
    run: context.run,
    target: { server: cluster.server, namespace: "engine" },
    exit: { code: 0 },
  });
  const backups = report.backups ?? [];
  expect(backups.map(({ file, command }) => command.replace(file, "FILE"))).toEqual([
    "kubectl replace -f FILE --context 'my cluster'",
    "kubectl create -f FILE --context 'my cluster'",
  ]);
  expect(
    backups.map(({ file }) => JSON.parse(readFileSync(file, "utf8")) as unknown),
  ).toMatchObject([
    { kind: "SecurityContextConstraints", users: [user("engine"), "zoe"] },
    { kind: "RoleBinding", subjects: [account("engine")] },
  ]);
});

test("writes are made under the field manager that was given", async () => {
  const { context, cluster } = aContext({ fieldManager: "someone" });
  // what was never applied has no managers that a patch could join
  await cluster.apply(aConstraint(scc, { users: [user("engine"), "zoe"] }), {
    fieldManager: "first",
    force: true,
  });
  await runUnbindScc(context, [], {});
  const found = await cluster.get({ resource: constraintResource, name: scc });
  const managers = found?.metadata.managedFields?.map(({ manager }) => manager);
  expect(managers).toContain("someone");
});

test("a printed command of this program carries the caller's words and the context", async () => {
  const { context } = aContext({ prefix: "oc engine" });
  const report = await runUnbindScc(context, [], {});
  expect(report.findings?.map(({ fix }) => fix)).toContain(
    "remove it in the same way: oc engine unbind-scc --scc engine-enterprise-scc --context 'my cluster'",
  );
});

test.each([
  [{}, {}],
  [
    { scc: "other", ec: "second" },
    { scc: "other", ec: "second" },
  ],
])("the flags %j", async (raw, flags) => {
  const { problems, load } = commandAt("unbind-scc").prepare(raw);
  expect(problems).toEqual([]);
  const { run } = await load();
  const { context, cluster } = aContext();
  const report = await run({ ...context, connect: () => Promise.resolve(cluster) }, []);
  const direct = await runUnbindScc(aContext().context, [], flags);
  expect(report.exit).toEqual(direct.exit);
});

test("it can be rehearsed", () => {
  expect(rehearse.argument?.choices).toContain("unbind-scc");
});
