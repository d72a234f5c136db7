/**
 * `kubectl engine upgrade-operator --chart` interrupted, or its helm killed, at moments that the API server has
 * seen: the end says what helm has done by then, and the same command again ends at the release that is wanted.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { definitionsHook } from "../support/releases/chart-hooks";
import { writeChart } from "../support/releases/chart";
import { sampled } from "../support/sampled";
import { findProgram } from "./binaries";
import { deployedVersion, wantedVersion } from "./chart-scenes";
import { ChartSite, type Program, programs } from "./chart-site";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import { playAt } from "./played-operator";
import { documentOf, type ReportDocument, runner, writeLine } from "./plugin-run";
import { type Running, start } from "./run";
import { startWriteGate, type WriteGate } from "./write-gate";

let controlPlane: ControlPlane;
let gate: WriteGate;
let folder = "";

beforeAll(async () => {
  for (const program of programs) await findProgram(program);
  controlPlane = await startControlPlane({ users: [runner] });
  gate = await startWriteGate(controlPlane);
  folder = mkdtempSync(join(tmpdir(), "chart-killed-"));
}, 600_000);
afterAll(async () => {
  await gate.close();
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

/** A request before the API server has it, or a write after it was carried out. */
type IsIt = (line: string, moment: "before" | "after") => boolean;

interface Kill {
  readonly name: string;
  /** What helm is left to do is for helm to say; nothing else may be told of it. */
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL";
  /** Absent: the plugin. */
  readonly whom?: "helm";
  /** Of a run whose requests begin now. */
  readonly isIt: () => IsIt;
  /** What was written by then; absent: helm has begun. */
  readonly wrote?: "nothing" | "everything";
  readonly says: RegExp;
}

const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGKILL: 1 } as const;

const before =
  (pattern: RegExp): (() => IsIt) =>
  () =>
  (line, moment) =>
    moment === "before" && pattern.test(line);
const after =
  (pattern: RegExp): (() => IsIt) =>
  () =>
  (line, moment) =>
    moment === "after" && pattern.test(line);

/** The first request that follows the answer to a write. */
const following = (pattern: RegExp, next: RegExp) => (): IsIt => {
  let isWritten = false;
  return (line, moment) => {
    if (moment === "after" && pattern.test(line)) isWritten = true;
    return isWritten && moment === "before" && next.test(line);
  };
};

/** An object of the hook: helm 3 creates it, helm 4 applies it. */
const made = (plural: string): RegExp =>
  new RegExp(`^(POST .*/${plural}|PATCH .*/${plural}/${definitionsHook})$`);

const interrupted = /interrupted|asked to end/i;
const askedToEnd = /helm upgrade operator was asked to end, and has ended: /;

const kills: readonly Kill[] = [
  {
    name: "at its first request, before helm is asked for anything",
    ...{ signal: "SIGINT", isIt: before(/./), wrote: "nothing", says: interrupted },
  },
  {
    name: "while helm lists its releases",
    ...{ signal: "SIGTERM", isIt: before(/^GET .*\/secrets$/), wrote: "nothing" },
    says: interrupted,
  },
  {
    name: "while the objects of the render are tried",
    ...{ signal: "SIGHUP", isIt: before(/^PATCH .* dry run$/), wrote: "nothing" },
    says: interrupted,
  },
  {
    name: "with helm's record of the new revision on its way",
    ...{ signal: "SIGINT", isIt: before(/^POST .*\/secrets$/), says: askedToEnd },
  },
  {
    name: "after the first object of the hook was made",
    ...{ signal: "SIGTERM", isIt: after(made("serviceaccounts")), says: askedToEnd },
  },
  {
    name: "after the hook's Job was made",
    ...{ signal: "SIGHUP", isIt: after(made("jobs")), says: askedToEnd },
  },
  {
    name: "after the first object of the release was written",
    ...{ signal: "SIGINT", isIt: after(/^PATCH .*\/roles\/[^ ]*$/), says: askedToEnd },
  },
  {
    name: "after the operator's Deployment was written",
    ...{ signal: "SIGTERM", isIt: after(/^PATCH .*\/deployments\/[^ ]*$/), says: askedToEnd },
  },
  {
    name: "helm itself, after the first object of the release was written",
    ...{ signal: "SIGKILL", whom: "helm", isIt: after(/^PATCH .*\/roles\/[^ ]*$/) },
    says: /helm upgrade operator failed: it was ended by SIGKILL/,
  },
  {
    name: "in the wait for the operator, when helm has ended",
    signal: "SIGINT",
    isIt: following(
      /^PUT .*\/secrets\/sh\.helm\.release\.v1\.operator\.v2$/,
      /^GET .*\/deployments/,
    ),
    ...{ wrote: "everything", says: interrupted },
  },
];

class Killing {
  constructor(
    readonly site: ChartSite,
    private readonly kill: Kill,
  ) {}

  get words(): readonly string[] {
    const chart = join(this.site.folder, wantedVersion);
    return ["--chart", chart, "--release-name", "operator", "--version", wantedVersion];
  }

  /** Runs it through the gate, and ends it at the moment. */
  async cutOff(): Promise<{ readonly report: ReportDocument; readonly writes: readonly string[] }> {
    const { site, kill } = this;
    const pid = join(site.folder, "pid");
    const isIt = kill.isIt();
    const started: { running?: Running } = {};
    let isSent = false;
    gate.watchAll((line, moment) => {
      if (!isSent && isIt(line, moment)) {
        isSent = true;
        if (kill.whom === "helm") process.kill(Number(readFileSync(pid, "utf8")), kill.signal);
        else started.running?.process.kill(kill.signal);
      }
      return Promise.resolve("pass");
    });
    const mark = await controlPlane.auditMark();
    const args = ["engine", "upgrade-operator", "--timeout=60s", ...this.words, "-o", "json"];
    const words = [...args, "-n", site.namespace];
    const env = { ...controlPlane.kubectlEnv(gate.kubeconfig), ENGINE_HELM: await this.helm(pid) };
    started.running = start(controlPlane.binaries.kubectl, words, { env });
    const ended = await started.running.ended;
    expect(isSent).toBe(true);
    const events = await controlPlane.writesSince(mark, { user: runner.name });
    return { report: documentOf(ended, args), writes: events.map(writeLine) };
  }

  /** The real one, which leaves its number. */
  private async helm(pid: string): Promise<string> {
    const { folder: own, program } = this.site;
    const file = join(own, "helm");
    const helm = await findProgram(program);
    writeFileSync(file, `#!/bin/sh\necho $$ > '${pid}'\nexec '${helm}' "$@"\n`, { mode: 0o700 });
    return file;
  }

  /** Of a release that a killed helm has left the printed line is typed first. */
  async again(): Promise<void> {
    const { site, kill } = this;
    if (kill.whom === "helm") {
      const { code, writes, report } = await site.engine(this.words);
      expect([code, report.findings?.[0]?.code, writes]).toEqual([5, "OPERATOR-CHART-PENDING", []]);
      const line = /helm (rollback operator \d+)/.exec(report.findings?.[0]?.fix ?? "");
      await site.helm(...(line?.[1] ?? "no line is printed").split(" "));
    }
    const { code, report } = await site.engine(this.words);
    expect([code, report.exit.reason]).toEqual([0, expect.stringContaining(wantedVersion)]);
    const listed = await site.helm("list", "--output", "json");
    expect(JSON.parse(listed)).toMatchObject([
      { chart: `${names.operator.chart}-${wantedVersion}`, status: "deployed" },
    ]);
  }
}

async function at(kill: Kill, program: Program, act: (killing: Killing) => Promise<void>) {
  const namespace = `killed-${String(kills.indexOf(kill))}-${program}`;
  const own = join(folder, namespace);
  mkdirSync(own);
  for (const version of [deployedVersion, wantedVersion] as const)
    writeChart(join(own, version), version);
  await controlPlane.api.create(namespaceNamed(namespace));
  const end = await playAt(controlPlane, namespace);
  const site = new ChartSite(controlPlane, namespace, program, own);
  try {
    await site.helm("install", "operator", join(own, deployedVersion));
    await act(new Killing(site, kill));
  } finally {
    // another namespace with an operator would be the one that is meant
    await site.kubectl("delete", "deployment", "--all");
    await end();
  }
}

const rows = sampled(kills).flatMap((kill) =>
  programs.map((program) => [program, kill.name, kill] as const),
);

test.each(rows)("%s: ended %s", async (program, _name, kill) => {
  await at(kill, program, async (killing) => {
    const { report, writes } = await killing.cutOff();
    expect(report.exit).toMatchObject({
      code: codes[kill.signal],
      reason: expect.stringMatching(kill.says) as unknown,
    });
    if (kill.whom === undefined) {
      expect(report.exit.next).toMatch(/run the same command again/);
    }
    if (kill.says === askedToEnd) {
      expect(report.exit.reason).toMatch(/; helm history shows revision \d+ \(.+\) as [a-z]/);
    }
    expect(writes.length > 0).toBe(kill.wrote !== "nothing");
    await killing.again();
  });
});
