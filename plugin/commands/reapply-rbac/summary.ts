/** What became of each place of a run, and how the run ends by it. */
import type { Awaited } from "../../domain/base/awaited";
import { boundList, countNoun } from "../../domain/base/values";
import { planFindings, type Result } from "../../domain/kube/planned-write";
import { type Site, placeName } from "../../domain/rbac/site";
import { grantLines } from "../../domain/kube/role-rules";
import { isAsWanted } from "../../domain/rbac/plan";
import { rbacFindings } from "../../domain/rbac/findings";
import type { Finding } from "../../domain/base/findings";
import { toDocument } from "../../domain/diagnosis/symptom";
import { exitCodes } from "../../domain/base/errors";
import type { ExitReport, NamespaceReport } from "../../kernel/report";
import type { Targets } from "./targets";

/** What became of a place. */
export interface SiteOutcome {
  readonly site: Site;
  readonly result: Result;
  readonly findings: readonly Finding[];
}

/** Findings by which a namespace failed for want of rights. */
const rightsCodes = ["RBAC-FORBIDDEN", "RBAC-ESCALATION"];

/** The results so far. */
export class Summary {
  #targets: Pick<Targets, "namespaces" | "from"> = { namespaces: [], from: "" };
  /** By name: the places of no namespace first, then the others. */
  readonly #wide = new Map<string, NamespaceReport>();
  readonly #results = new Map<string, NamespaceReport>();
  #pruned = 0;
  #notPruned = 0;

  /** From here on each of the namespaces is accounted for. */
  begin(targets: Targets): void {
    this.#targets = targets;
  }

  add({ site, result, findings: told }: SiteOutcome): void {
    const findings = told.map(toDocument);
    const name = reportName(site);
    const changes = isAsWanted(site.plan) ? {} : describeChanges(site);
    const results = site.namespace === undefined ? this.#wide : this.#results;
    results.set(name, { name, result, ...(findings.length > 0 && { findings }), ...changes });
  }

  /** A namespace that cannot be worked on. */
  addUnfit(name: string, finding: Finding): void {
    this.#results.set(name, { name, result: "failed", findings: [toDocument(finding)] });
  }

  countPruned(done: boolean): void {
    if (done) this.#pruned += 1;
    else this.#notPruned += 1;
  }

  /** What has failed, in the order in which it did. */
  listFailed(): readonly NamespaceReport[] {
    const all = [...this.#results.values(), ...this.#wide.values()];
    return all.filter(({ result }) => result === "failed");
  }

  /** For the live line: a step of a hundredth, undefined between two. */
  nameProgress(): Awaited | undefined {
    const { length: all } = this.#targets.namespaces;
    const { size } = this.#results;
    if (all === 1) return undefined; // its own result says it
    if (size % Math.ceil(all / 100) !== 0 && size < all) return undefined;
    const failed = this.listFailed().length;
    return `namespaces: ${size} of ${all}${failed === 0 ? "" : `, ${failed} failed`}`;
  }

  /** Every namespace in the order of the alphabet; those not begun are skipped. */
  listNamespaces(): readonly NamespaceReport[] {
    const all = this.#targets.namespaces.map(
      (name): NamespaceReport => this.#results.get(name) ?? { name, result: "skipped" },
    );
    return [...this.#wide.values(), ...all];
  }

  /** The end of a run that wrote so much, and why it began nothing more. */
  makeEnd(written: number, stopped: string | undefined): ExitReport {
    const failed = this.listFailed();
    const reason = this.#reason(stopped);
    if (failed.length + this.#notPruned === 0) return { code: exitCodes.ok, reason };
    const listAll = (codes: readonly string[]): boolean =>
      written === 0 &&
      failed.length > 0 &&
      failed.every(({ findings = [] }) => findings.some(({ code }) => codes.includes(code)));
    const untouched = listAll(rightsCodes) ? exitCodes.permission : exitCodes.conflict;
    const names = failed.map(({ name }) => name).sort();
    const isLeftOut = failed.every(({ findings = [] }) =>
      findings.some(({ code }) => code === rbacFindings.namespaceTerminating.code),
    );
    return {
      ...(isLeftOut && this.#notPruned === 0 && { leftOut: names }),
      code: listAll([...rightsCodes, planFindings.exceeded.code]) ? untouched : exitCodes.partial,
      reason: names.length === 0 ? reason : `${reason}; failed: ${boundList(names, 10)}`,
      next: "fix what is named, then run the same command again: it writes only where something is missing",
    };
  }

  #reason(stopped: string | undefined): string {
    const { namespaces, from } = this.#targets;
    if (namespaces.length === 0) return `no namespace is managed (${from}), nothing to do`;
    const all = this.listNamespaces();
    const counts = new Map<string, number>();
    for (const { result } of all.slice(this.#wide.size)) {
      counts.set(result, (counts.get(result) ?? 0) + 1);
    }
    const parts = [...counts].map(([result, count]) => `${count} ${result}`);
    const unproven = all.filter(({ findings = [] }) =>
      findings.some(({ code }) => code === "RBAC-UNPROVEN"),
    ).length;
    return [
      `${countNoun(namespaces.length, "namespace")} (${from}): ${parts.join(", ")}`,
      this.#pruned === 0 ? "" : `, leftovers deleted in ${this.#pruned}`,
      unproven === 0 ? "" : `; NOT PROVEN in ${unproven}, see the findings`,
      stopped === undefined ? "" : `; stopped: ${stopped}`,
    ].join("");
  }
}

/** How a place is called in a report: a namespace, or what is in none. */
export function reportName(site: Site): string {
  if (site.namespace !== undefined) return site.namespace;
  return site.part === undefined ? "(cluster)" : `(${placeName(site)})`;
}

function describeChanges({ plan }: Site): Pick<NamespaceReport, "rules" | "subjects"> {
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
