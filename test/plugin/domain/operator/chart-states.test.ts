/** The law of the lines: a small helm carries out what is printed, and refuses what helm refuses. */
import { listSteps, type Remedy } from "../../../../plugin/domain/base/remedy";
import {
  chooseHome,
  type ChartHome,
  findLostRelease,
} from "../../../../plugin/domain/operator/chart-marks";
import { judgeChartState } from "../../../../plugin/domain/operator/chart-states";
import type { ChartRevision } from "../../../../plugin/domain/operator/refusals";

const states = [
  ...["deployed", "failed", "superseded", "pending-install", "pending-upgrade"],
  ...["pending-rollback", "uninstalling", "uninstalled", "unknown"],
];
const histories: readonly (readonly string[])[] = [
  ...[[], ["deployed"], ["superseded"], ["failed"], ["uninstalled"], ["unknown"]],
  ...[
    ["superseded", "deployed"],
    ["superseded", "failed"],
    ["deployed", "failed"],
  ],
  ...[
    ["failed", "pending-upgrade"],
    ["uninstalled", "failed"],
    ["superseded", "uninstalled"],
  ],
];

/** Helm's records, and what helm refuses of them. */
class SmallHelm {
  #refused: string[] = [];

  constructor(private revisions: readonly ChartRevision[]) {}

  get refusals(): readonly string[] {
    return this.#refused;
  }

  upgrade(): void {
    const last = this.revisions.at(-1)?.status ?? "none";
    const isDeployed = this.revisions.some(({ status }) => status === "deployed");
    const isTaken = ["failed", "superseded"].includes(last);
    if (last.startsWith("pending-") || (!isDeployed && !isTaken)) this.#refuse("helm upgrade");
  }

  type(words: readonly string[]): void {
    const line = words.join(" ");
    if (words[0] === "delete") this.#delete(line);
    else if (words[0] === "rollback") this.#rollBack(Number(words[2]), line);
    else if (words[0] === "install") this.#install(line);
    else if (words[0] === "uninstall") this.revisions = [];
    else if (!["history", "get"].includes(words[0] ?? "")) this.#refuse(line);
  }

  #delete(line: string): void {
    const [, status] = /,status=(\S+)/.exec(line) ?? [];
    const left = this.revisions.filter((one) => status !== undefined && one.status !== status);
    if (left.length === this.revisions.length) this.#refuse(line);
    this.revisions = left;
  }

  #rollBack(to: number, line: string): void {
    const was = this.revisions.find(({ revision }) => revision === to)?.status;
    if (!["deployed", "superseded", "uninstalled"].includes(String(was))) this.#refuse(line);
    this.#deploy();
  }

  #install(line: string): void {
    if (this.revisions.length > 0) this.#refuse(line);
    this.#deploy();
  }

  #deploy(): void {
    const revision = (this.revisions.at(-1)?.revision ?? 0) + 1;
    this.revisions = [...this.revisions, { revision, status: "deployed" }];
  }

  #refuse(line: string): void {
    this.#refused = [...this.#refused, line];
  }
}

const place = { namespace: "engine", chart: "./c", version: "7.22.0-7" };
const judge = (revisions: readonly ChartRevision[], home: ChartHome = "Secrets") => {
  const last = revisions.at(-1) ?? { status: "", revision: 0 };
  const release = { name: "op", chart: "c-1", status: last.status, revisions };
  return judgeChartState({ ...release, revision: String(last.revision) }, { ...place, home });
};

/** What helm refuses of a way out, and of the same command after it. */
function follow(revisions: readonly ChartRevision[], remedy: Remedy): readonly string[] {
  const helm = new SmallHelm(revisions);
  const steps = listSteps(remedy);
  for (const { run } of steps) if (run !== undefined) helm.type(run.words);
  if (!steps.some(({ run }) => run?.words[0] === "uninstall")) helm.upgrade();
  return helm.refusals;
}

const rows = states.flatMap((state) =>
  histories.map((before) => {
    const all = [...before, state];
    return [all.join(", "), all.map((status, at) => ({ revision: at + 1, status }))] as const;
  }),
);

test.each(rows)(
  "%s: helm upgrades it, or each way out works and ends in an upgrade",
  (_, revisions) => {
    for (const home of ["Secrets", "ConfigMaps"] as const) {
      const told = judge(revisions, home);
      const helm = new SmallHelm(revisions);
      helm.upgrade();
      // helm is asked again by the command, and says why itself
      if (told === undefined) expect(helm.refusals).toEqual([]);
      for (const remedy of told?.remedies ?? []) expect(follow(revisions, remedy)).toEqual([]);
      const runs = (told?.remedies ?? []).flatMap(listSteps).flatMap(({ run }) => run ?? []);
      expect(runs.filter(({ words }) => words[0] === "upgrade")).toEqual([]);
      const other = home === "Secrets" ? "configmap" : "secret";
      expect(runs.filter(({ words }) => words.includes(other))).toEqual([]);
      if (told !== undefined) expect(told.remedies).not.toEqual([]);
    }
  },
);

test.each(["pending-install", "pending-upgrade", "uninstalling"])(
  "%s in a database: no line of kubectl, and what cannot be seen is said",
  (status) => {
    for (const before of [[], ["failed"], ["uninstalled"]]) {
      const all = [...before, status].map((one, at) => ({ revision: at + 1, status: one }));
      const { remedies = [] } = judge(all, "database") ?? {};
      const [first] = remedies;
      expect(first?.says).toContain("which cannot be seen from here");
      expect(remedies.flatMap(listSteps).filter(({ run }) => run?.of === "kubectl")).toEqual([]);
    }
  },
);

test.each([
  ["pending-upgrade", ["history", "rollback"]],
  ["pending-rollback", ["history", "rollback"]],
  ["pending-install", ["delete", "install", "uninstall"]],
  ["uninstalling", ["delete", "uninstall"]],
  ["uninstalled", ["rollback"]],
  ["unknown", []],
  ["odd", []],
])("%s without a known history", (status, verbs) => {
  const told = judgeChartState({ name: "op", chart: "c", status }, { ...place, home: "Secrets" });
  const runs = (told?.remedies ?? []).flatMap(listSteps).flatMap(({ run }) => run ?? []);
  expect(runs.map(({ words }) => words[0])).toEqual(verbs);
});

test("records that helm does not have are said to be gone from where they are kept", () => {
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" } };
  const lost = { namespace: "engine", release: "op", objects: [object], isByHelm: true } as const;
  for (const [driver, says] of [
    [undefined, "gone from Secrets, or helm keeps them elsewhere"],
    ["configmap", "gone from ConfigMaps"],
    ["sql", "gone from the database of HELM_DRIVER_SQL_CONNECTION_STRING"],
    ["memory", "its records are gone"],
  ] as const) {
    const { cause, fix } = findLostRelease({ ...lost, kept: chooseHome(driver) });
    expect(cause).toContain(says);
    expect(fix).toContain("helm install op");
    if (driver === "sql") expect(fix).not.toContain("kubectl get");
  }
});
