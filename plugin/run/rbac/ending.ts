/** Gathers what became of each namespace, and what the run ends with. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { isAsWanted } from "../../domain/rbac/plan";
import { grantLines } from "../../domain/rbac/rules";
import { planFindings } from "../../domain/upgrade/codes";
import type { ExitReport, NamespaceReport } from "../report";
import type { RbacOptions } from "./deps";
import { placeName, type Site } from "./site";
import { shortened, type Targets } from "./targets";
import type { Outcome } from "./worker";

/** Findings by which a namespace failed for want of rights. */
const rightsCodes = ["RBAC-FORBIDDEN", "RBAC-ESCALATION"];

/** The results so far. */
export class Ending {
  #targets: Pick<Targets, "namespaces" | "from"> = { namespaces: [], from: "" };
  #because: string | undefined;
  readonly #wide = new Map<string, NamespaceReport>();
  #pruned = 0;
  #notPruned = 0;
  #failures = 0;
  readonly #results = new Map<string, NamespaceReport>();

  constructor(private readonly options: Pick<RbacOptions, "maxFailures" | "dryRun">) {}

  /** From here on each of the namespaces is accounted for. */
  begin(targets: Targets): void {
    this.#targets = targets;
  }

  /** True when no further namespace is begun. */
  get stopped(): boolean {
    return this.#because !== undefined;
  }

  stop(because: string): void {
    this.#because ??= because;
  }

  add({ site, result, findings }: Outcome): void {
    const { namespace, plan } = site;
    const report: NamespaceReport = {
      name: namespace ?? "",
      result,
      ...(findings.length > 0 && { findings }),
      ...(!isAsWanted(plan) && changesOf(site)),
    };
    if (namespace === undefined)
      this.#wide.set(widePlace(site), { ...report, name: widePlace(site) });
    else this.#results.set(namespace, report);
    if (result === "failed") this.#countFailure();
  }

  fail(site: Site, findings: readonly Finding[]): void {
    this.add({ site, result: "failed", findings });
  }

  failNamespace(name: string, findings: readonly Finding[]): void {
    this.#results.set(name, { name, result: "failed", findings });
    this.#countFailure();
  }

  pruned(done: boolean): void {
    if (done) this.#pruned += 1;
    else this.#notPruned += 1;
  }

  hasFailed(name: string): boolean {
    return this.#results.get(name)?.result === "failed";
  }

  /** For the live line: a step of a hundredth, undefined between two. */
  progress(): string | undefined {
    const all = this.#targets.namespaces.length;
    if (this.#results.size % Math.ceil(all / 100) !== 0 && this.#results.size < all)
      return undefined;
    const failed = this.#failures;
    const tail = failed === 0 ? "" : `, ${failed} failed`;
    return `namespaces: ${this.#results.size} of ${all}${tail}`;
  }

  /** Every namespace in the order of the alphabet; those not begun are skipped. */
  namespaces(): readonly NamespaceReport[] {
    const all = this.#targets.namespaces.map(
      (name): NamespaceReport => this.#results.get(name) ?? { name, result: "skipped" },
    );
    return [...this.#wide.values(), ...all];
  }

  exit(written: number): ExitReport {
    const failed = this.#failed();
    const reason = this.#reason();
    if (failed.length + this.#notPruned === 0) return { code: exitCodes.ok, reason };
    const allFor = (codes: readonly string[]): boolean =>
      written === 0 &&
      failed.length > 0 &&
      failed.every(({ findings = [] }) => findings.some(({ code }) => codes.includes(code)));
    const untouched = allFor(rightsCodes) ? exitCodes.permission : exitCodes.conflict;
    const names = failed.map(({ name }) => name).sort();
    return {
      code: allFor([...rightsCodes, planFindings.changed.code]) ? untouched : exitCodes.partial,
      reason: names.length === 0 ? reason : `${reason}; failed: ${shortened(names)}`,
      next: "mend what is named, then run the same command again: it writes only where something is missing",
    };
  }

  #countFailure(): void {
    const { maxFailures } = this.options;
    this.#failures += 1;
    const count = this.#failures;
    if (maxFailures !== undefined && count >= maxFailures) {
      this.stop(`${count} namespaces failed, as many as --max-failures allows`);
    }
  }

  #unproven(): string {
    const count = this.namespaces().filter(({ findings = [] }) =>
      findings.some(({ code }) => code === "RBAC-UNPROVEN"),
    ).length;
    return count === 0 ? "" : `; NOT PROVEN in ${count}, see the findings`;
  }

  #failed(): readonly NamespaceReport[] {
    const all = [...this.#results.values(), ...this.#wide.values()];
    return all.filter(({ result }) => result === "failed");
  }

  #reason(): string {
    const { namespaces, from } = this.#targets;
    if (namespaces.length === 0) return `no namespace is managed (${from}), nothing to do`;
    const counts = new Map<string, number>();
    const managed = new Set(namespaces);
    for (const { name, result } of this.namespaces()) {
      if (managed.has(name)) counts.set(result, (counts.get(result) ?? 0) + 1);
    }
    const parts = [...counts].map(([result, count]) => `${count} ${result}`);
    const pruned = this.#pruned === 0 ? "" : `, left-overs deleted in ${this.#pruned}`;
    const stopped = this.#because === undefined ? "" : `; stopped: ${this.#because}`;
    return `${namespaces.length} namespaces (${from}): ${parts.join(", ")}${pruned}${this.#unproven()}${stopped}`;
  }
}

/** How a place of no namespace is called in a report. */
function widePlace(site: Site): string {
  return site.part === undefined ? "(cluster)" : `(${placeName(site)})`;
}

function changesOf({ plan }: Site): Pick<NamespaceReport, "rules" | "subjects"> {
  const { gained, lost, subjectsGained, subjectsLost } = plan;
  return {
    ...(gained.length + lost.length > 0 && {
      rules: { gained: grantLines(gained), lost: grantLines(lost) },
    }),
    ...(subjectsGained.length + subjectsLost.length > 0 && {
      subjects: { gained: subjectsGained, lost: subjectsLost },
    }),
  };
}
