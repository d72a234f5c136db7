import { readFileSync } from "node:fs";
import { openHome } from "../../../../plugin/adapters/home";
import type { GlobalOptions } from "../../../../plugin/cmdutil/context";
import { runUnbindScc } from "../../../../plugin/commands/unbind-scc/command";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { aCommandContext } from "../../../support/command-context";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { aScene } from "./memory-scene";
import { aConstraint, account, anEc, aNamespace, granted, user } from "./objects";
import { constraintResource } from "../../../../plugin/domain/kube/kinds";
import { aFolder } from "../../../support/a-folder";

let home = "";
beforeEach(() => {
  home = aFolder("home");
});

const scc = defaultNames.scc.current;

function aContext(options: Partial<GlobalOptions> = {}, more: readonly KubeObject[] = []) {
  const { cluster, clock } = aScene([
    ...more,
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
  expect(backups.map(({ file, command }) => command?.replace(file, "FILE"))).toEqual([
    "kubectl create -f FILE --context 'my cluster'",
    "kubectl replace -f FILE --context 'my cluster'",
  ]);
  expect(
    backups.map(({ file }) => JSON.parse(readFileSync(file, "utf8")) as unknown),
  ).toMatchObject([
    { kind: "RoleBinding", subjects: [account("engine")] },
    { kind: "SecurityContextConstraints", users: [user("engine"), "zoe"] },
  ]);
});

test("pods whose template asks for the constraint by annotation keep it: 3, nothing is written", async () => {
  const annotations = { "openshift.io/required-scc": scc };
  const template = { metadata: { annotations }, spec: {} };
  const set = {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet" },
    metadata: { name: "ec", namespace: "engine" },
    spec: { template },
  };
  const { context, cluster } = aContext({}, [set]);
  const report = await runUnbindScc(context, [], {});
  expect(report.exit.code).toBe(3);
  expect(report.findings).toMatchObject([
    {
      code: "SCC-REQUIRED",
      object: "StatefulSet/engine/ec",
      field: "spec.template.metadata.annotations",
    },
  ]);
  const name = { resource: constraintResource, name: scc };
  expect((await cluster.get(name, {}))?.["users"]).toEqual([user("engine"), "zoe"]);
});
