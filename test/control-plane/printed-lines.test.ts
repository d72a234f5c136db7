/** Lines that the plugin prints for kubectl and for itself, run on a real API server as they stand. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { type ControlPlane, kubectlEnv } from "./control-plane";
import { clusterStatus } from "./scene";
import {
  cluster,
  namespaceNamed,
  namespaceNames,
  openManaged,
  operatorNamespace,
  seedNamespaces,
  settings,
} from "./managed-namespaces";
import { writeOperatorStatus } from "./operator";
import { runner, runPlugin } from "./plugin-run";
import { run as runProgram } from "./run";

const all = namespaceNames(2);

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await openManaged({ version: "8.0.20-23" });
  const { api } = controlPlane;
  await api.create(namespaceNamed("elsewhere"));
  await api.writeStatus(cluster(), clusterStatus);
  await api.create(settings({ EDB_NAMESPACES: all.join(",") }));
  await writeOperatorStatus(api, operatorNamespace);
  await seedNamespaces(api, all);
  await api.create({
    apiVersion: `${names.group}/${names.version}`,
    kind: names.edb.kind,
    metadata: { name: "orders", namespace: all[0] ?? "" },
    spec: { memorySize: "1GB", engineVersion: "7.4" },
  });
});
afterAll(() => controlPlane.stop());

interface Printed {
  readonly findings?: readonly { readonly command?: string }[];
  readonly steps?: readonly { readonly write?: { readonly command: string } }[];
}

async function printedBy(args: readonly string[], namespace: string): Promise<readonly string[]> {
  const { report } = await runPlugin(controlPlane, args, { namespace });
  const { findings = [], steps = [] } = report as unknown as Printed;
  return [
    ...findings.flatMap(({ command }) => command ?? []),
    // a file or stdin that such a line reads is not there
    ...steps.flatMap(({ write }) => write?.command ?? []).filter((line) => !/ -f /.test(line)),
  ];
}

/** A line as a shell takes it; one that writes only tries to. */
async function typed(
  line: string,
): Promise<{ readonly code: number | null; readonly said: string }> {
  const tried = /^kubectl (engine|patch|apply|delete|create)\b/.test(line);
  const { code, stdout, stderr } = await runProgram(
    "/bin/sh",
    ["-c", `${line}${tried ? " --dry-run=server" : ""}`],
    { env: kubectlEnv(controlPlane.site, controlPlane.kubeconfigFor(runner.name)) },
  );
  return { code, said: `${stdout}\n${stderr}` };
}

test.each<[string, string[], string]>([
  ["check", ["check"], operatorNamespace],
  ["a wrong namespace", ["reapply-rbac"], "elsewhere"],
  [
    "the plan of a cluster",
    ["upgrade-cluster", "ec", "--target=8.0.20-44.23", "--dry-run=client"],
    operatorNamespace,
  ],
  [
    "the plan of a database",
    [
      "upgrade-database",
      `${all[0] ?? ""}/orders`,
      "--engine-version=8.0",
      "--may-discard-data",
      "--take-fields=.spec.engineVersion",
      "--dry-run=client",
    ],
    operatorNamespace,
  ],
])("%s: every line runs", async (_, args, namespace) => {
  const lines = new Set(await printedBy(args, namespace));
  expect(lines.size).toBeGreaterThan(0);
  for (const line of lines) {
    const { code, said } = await typed(line);
    expect([line, said]).toEqual([
      line,
      expect.not.stringMatching(/unknown (flag|command)|NotFound/),
    ]);
    expect([line, code === 2]).toEqual([line, false]);
    if (!line.startsWith("kubectl engine")) expect([line, code, said]).toEqual([line, 0, said]);
  }
});
