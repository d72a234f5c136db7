/** Commands rehearsed on the example, with some of its objects otherwise. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsalDetails } from "../../plugin/commands/rehearse/text";
import { defaultNames } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { exampleSource } from "../../plugin/simulator/example";
import type { Report } from "../../plugin/kernel/report";
import { aFolder } from "./a-folder";
import { startOfRun, typed } from "./program-world";
import { writeRelease } from "./releases/tree";

/** An object of the example as it is to be; undefined: it is not there. */
export type Edit = (object: KubeObject) => KubeObject | undefined;

/** Rehearses lines of the operator's namespace on the example, through this webhook. */
export class RehearsedExample {
  readonly #folder = aFolder("dump");
  #count = 0;

  constructor(private readonly webhook: { readonly file: string }) {}

  /** Commands that upgrade or look, each as a line that has something to do on the example. */
  readonly lines: Readonly<Record<string, readonly string[]>> = linesOf(
    `--release=${writeRelease(aFolder("release"), "8.0.2-2")}`,
  );

  /** The first report that found something, its errors, and what all stages wrote. */
  async run(name: string, edit: Edit, more: readonly KubeObject[] = []) {
    const { objects } = await exampleSource(defaultNames, startOfRun);
    this.#count += 1;
    const from = join(this.#folder, `dump-${this.#count}.json`);
    const items = [...objects.flatMap((one) => edit(one) ?? []), ...more];
    writeFileSync(from, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const env = { ENGINE_HOME: join(this.#folder, "home"), HOME: this.#folder };
    const line = this.lines[name] ?? name.split(" ");
    const words = ["rehearse", `--webhook=${this.webhook.file}`, ...line, "--from", from];
    const { code, out, err } = await typed([...words, "-n", "engine", "-o", "json"], { env });
    if (out === "") throw new Error(err);
    const { stages } = (JSON.parse(out) as Report).details as RehearsalDetails;
    const reports = stages.map(({ report }) => report);
    const first = reports.find(({ findings = [] }) => findings.length > 0) ?? reports[0];
    const steps = reports.flatMap(({ steps: all = [] }) => all);
    return {
      code,
      report: reports[0],
      first,
      errors: (first?.findings ?? []).filter(({ severity }) => severity === "error"),
      written: steps.filter(({ result }) => ["created", "changed", "deleted"].includes(result)),
    };
  }
}

function linesOf(release: string): Readonly<Record<string, readonly string[]>> {
  const databases = ["shop/orders", "shop/sessions", "config"];
  return {
    check: ["check"],
    status: ["status"],
    upgrade: ["upgrade", release],
    "upgrade-operator": ["upgrade-operator", release],
    "upgrade-webhook": ["upgrade-webhook"],
    "upgrade-cluster": ["upgrade-cluster", "ec", "--target=8.0.2-17"],
    // the databases of the example are neither replicated nor persistent
    "upgrade-database": [
      ...["upgrade-database", ...databases, "--engine-version=7.4"],
      "--may-discard-data",
    ],
    "reapply-rbac": ["reapply-rbac", release],
    recover: ["recover"],
  };
}
