/** `kubectl engine upgrade-operator --chart` on a real API server with the real helm. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { writeChart } from "../support/releases/chart";
import { bundleOf, writeRelease } from "../support/releases/tree";
import type { ReleaseVersion } from "../support/releases/versions";
import { findProgram } from "./binaries";
import { type ControlPlane, runHelm, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import { playAt } from "./played-operator";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { until } from "./until";
import { clusterVersions, platformIs } from "./upgrade-scene";

let controlPlane: ControlPlane;
let folder = "";
let helm = "";

beforeAll(async () => {
  helm = await findProgram("helm");
  controlPlane = await startControlPlane({ users: [runner] });
  folder = mkdtempSync(join(tmpdir(), "charts-"));
}, 600_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

const chart = (version: ReleaseVersion): string => writeChart(join(folder, version), version);

/** An operator that helm has installed, with a value of the person's own. */
async function installed(namespace: string, version: ReleaseVersion): Promise<void> {
  await controlPlane.api.create(namespaceNamed(namespace));
  const end = await playAt(controlPlane, namespace);
  try {
    const own = [
      "--set",
      "imagePullSecrets[0].name=mirror",
      "--set",
      "admission.setCABundle=false",
    ];
    await runHelm(controlPlane, namespace, ["install", "operator", chart(version), ...own]);
  } finally {
    await end();
  }
}

function upgrade(
  namespace: string,
  version: ReleaseVersion,
  args: readonly string[] = [],
): Promise<PluginRun> {
  const words = ["--chart", chart(version), "--release-name", "operator", "--version", version];
  return runPlugin(controlPlane, ["upgrade-operator", "--timeout=60s", ...words, ...args], {
    namespace,
    env: { ENGINE_HELM: helm },
  });
}

test("a bundle is not applied over a chart, nor a chart over a bundle", async () => {
  await installed("charted", "7.22.0-7");
  const release = writeRelease(join(folder, "tree"), "8.0.2-2");
  const over = await runPlugin(controlPlane, ["upgrade-operator", "--release", release], {
    namespace: "charted",
  });
  expect([over.code, over.writes]).toEqual([5, []]);
  expect(over.report.findings?.[0]).toMatchObject({ code: "OPERATOR-OWNED" });
  expect(over.report.findings?.[0]?.fix).toContain("--release-name operator");
  await controlPlane.api.create(namespaceNamed("bundled"));
  const input = renderDocuments(bundleOf("7.22.0-7"));
  await controlPlane.kubectl(["apply", "-n", "bundled", "-f", "-"], { input });
  const other = await upgrade("bundled", "8.0.2-2");
  expect([other.code, other.writes]).toEqual([5, []]);
  expect(other.report.findings?.[0]).toMatchObject({ code: "OPERATOR-NOT-CHART" });
});

test.each(["helm", "helm4"] as const)(
  "a value that pins the operator's image stops the run before %s writes",
  async (program) => {
    const namespace = `pinned-${program}`;
    const executable = await findProgram(program);
    await controlPlane.api.create(namespaceNamed(namespace));
    const end = await playAt(controlPlane, namespace);
    try {
      const pin = ["--set", "operator.image.tag=7.22.0-7"];
      await runHelm(controlPlane, namespace, ["install", "operator", chart("7.22.0-7"), ...pin]);
      const to = async (args: readonly string[]) => {
        const words = ["--chart", chart("8.0.2-2"), "--release-name", "operator"];
        const all = [...words, "--version", "8.0.2-2", ...args];
        return await runPlugin(controlPlane, ["upgrade-operator", "--timeout=60s", ...all], {
          namespace,
          env: { ENGINE_HELM: executable },
        });
      };
      for (const args of [["--dry-run=client"], ["--dry-run=server"], []]) {
        const { code, writes, report } = await to(args);
        const pinned = report.findings?.find((one) => one.code === "OPERATOR-CHART-PINNED");
        expect([code, writes, pinned?.cause ?? report.exit.reason]).toEqual([
          3,
          [],
          expect.stringContaining("the value operator.image.tag (7.22.0-7)"),
        ]);
      }
      const values = join(folder, `${program}.yaml`);
      writeFileSync(values, "operator:\n  image:\n    tag: 8.0.2-2\n");
      const given = await to(["--values", values]);
      expect([given.code, given.report.details]).toMatchObject([
        0,
        { after: { operator: "8.0.2-2" } },
      ]);
    } finally {
      await end();
    }
  },
);

test("a token of the command line reaches helm by a file that nobody else reads, and is gone after", async () => {
  await installed("tokens", "7.22.0-7");
  const words = join(folder, "words");
  const spy = join(folder, "spying-helm");
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> ${words}\nfor w in "$@"; do case "$w" in */config) stat -c %a "$w" >> ${words};; esac; done\nexec ${helm} "$@"\n`;
  writeFileSync(spy, script, { mode: 0o700 });
  const config = await controlPlane.kubectl(["config", "view", "--raw", "-o", "json"]);
  const view = JSON.parse(config.stdout) as {
    users: { user: { token: string } }[];
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  };
  const token = view.users[0]?.user.token ?? "";
  const cluster = view.clusters[0]?.cluster;
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, Buffer.from(cluster?.["certificate-authority-data"] ?? "", "base64"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const end = await playAt(controlPlane, "tokens");
  let result: PluginRun;
  try {
    result = await runPlugin(
      controlPlane,
      [
        ...["upgrade-operator", "--timeout=60s", "--chart", chart("8.0.2-2")],
        ...["--release-name", "operator", "--version", "8.0.2-2", "--token", token],
        ...["--server", cluster?.server ?? "", "--certificate-authority", ca],
      ],
      {
        namespace: "tokens",
        env: { ENGINE_HELM: spy, TMPDIR: temporary, KUBECONFIG: "/dev/null" },
      },
    );
  } finally {
    await end();
  }
  expect([result.code, result.report.exit.reason]).toEqual([0, expect.stringContaining("8.0.2-2")]);
  const seen = readFileSync(words, "utf8");
  expect(seen).toContain("upgrade operator");
  expect(seen).toContain("600");
  expect(seen).not.toContain(token);
  expect(readdirSync(temporary)).toEqual([]);
});

test("without helm, with a broken chart, and where a Job of it fails, the end says what to do", async () => {
  await installed("broken", "7.22.0-7");
  const withHelm = (
    chartPath: string,
    version: string,
    ENGINE_HELM: string,
  ): Promise<PluginRun> => {
    const words = ["--chart", chartPath, "--release-name", "operator", "--version", version];
    const options = { namespace: "broken", env: { ENGINE_HELM } };
    return runPlugin(controlPlane, ["upgrade-operator", ...words], options);
  };
  const none = await withHelm(chart("8.0.2-2"), "8.0.2-2", join(folder, "no-helm"));
  expect([none.code, none.writes]).toEqual([2, []]);
  const missing = await withHelm(join(folder, "nothing"), "1.0.0", helm);
  expect([missing.code, missing.report.exit.reason]).toEqual([
    1,
    expect.stringContaining("helm upgrade"),
  ]);
  const end = await playAt(controlPlane, "broken", { failingJobs: true });
  try {
    const failed = await upgrade("broken", "8.0.2-2");
    expect([failed.code, failed.report.exit.reason]).toEqual([
      1,
      expect.stringContaining("helm upgrade"),
    ]);
  } finally {
    await end();
  }
  const working = await playAt(controlPlane, "broken");
  try {
    expect((await upgrade("broken", "8.0.2-2")).code).toBe(0);
  } finally {
    await working();
  }
});

test("a selector that the API server never changes is told before helm writes, and goes by the line that is printed", async () => {
  const namespace = "selector";
  const earlier = writeChart(join(folder, "earlier"), "7.22.0-7");
  const file = join(earlier, "templates", "operator.yaml");
  const label = /^( +)name: \S+\n(?= +(template|spec):)/gm;
  const labeled = readFileSync(file, "utf8").replace(label, "$&$1part: earlier\n");
  writeFileSync(file, labeled);
  await controlPlane.api.create(namespaceNamed(namespace));
  const end = await playAt(controlPlane, namespace);
  try {
    await runHelm(controlPlane, namespace, ["install", "operator", earlier]);
    for (const args of [["--dry-run=client"], ["--dry-run=server"], []]) {
      const { code, writes, report } = await upgrade(namespace, "8.0.2-2", args);
      const fixed = report.findings?.find((one) => one.code === "OPERATOR-FIXED-FIELD");
      expect([code, writes, fixed?.field]).toEqual([3, [], ".spec.selector"]);
      if (args.length > 0) continue;
      const line = fixed?.command?.split(" && kubectl ").at(-1) ?? "";
      const deleted = await controlPlane.kubectl(line.split(" "));
      expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining("deleted")]);
    }
    const done = await upgrade(namespace, "8.0.2-2");
    expect([done.code, done.report.details]).toMatchObject([0, { after: { operator: "8.0.2-2" } }]);
  } finally {
    await end();
  }
});

test("on OpenShift the chart is told so, once, and keeps the values that were given", async () => {
  await installed("engine", "7.22.0-7");
  await controlPlane.api.apply(clusterVersions);
  const cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace: "engine" }, {});
  await until("the platform's group to be served", async () =>
    (await cluster.serves("config.openshift.io", "v1")) === undefined ? undefined : true,
  );
  const end = await playAt(controlPlane, "engine");
  try {
    const untold = await upgrade("engine", "8.0.2-2");
    expect([untold.code, untold.writes]).toEqual([3, []]);
    expect(untold.report.findings?.map(({ code }) => code)).toContain("PLATFORM-VERSION-UNKNOWN");
    await platformIs(cluster, "4.19.3");
    const up = await upgrade("engine", "8.0.2-2");
    expect(up.code).toBe(0);
    expect(up.report.steps?.[0]?.why).toContain(`${names.operator.chartOpenShift}=true`);
    const again = await upgrade("engine", "8.0.2-2");
    expect([again.code, again.writes]).toEqual([0, []]);
  } finally {
    await end();
    cluster.close();
  }
  const { stdout } = await runHelm(controlPlane, "engine", [
    "get",
    "values",
    "operator",
    "--output",
    "json",
  ]);
  expect(JSON.parse(stdout)).toMatchObject({
    openshift: { mode: true },
    imagePullSecrets: [{ name: "mirror" }],
    admission: { setCABundle: false },
  });
});
