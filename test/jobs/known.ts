/** Cases in which a job is known not to do what holds for all; one that has come right is an error here. */
import type { Job } from "./list";

interface Known {
  readonly job: string;
  /** Begins with this. */
  readonly law: string;
  readonly at: RegExp;
  readonly why: string;
}

const anothersField = "a field of another manager";

export const known: readonly Known[] = [
  {
    job: "unbind-scc",
    law: anothersField,
    at: /SecurityContextConstraints/,
    why: "it respects who owns the whole object, by labels, and looks at no field's manager",
  },
  {
    job: "cert create (replace)",
    law: anothersField,
    at: /Secret/,
    why: "--replace respects who owns the whole Secret, by labels, and looks at no field's manager",
  },
];

/** Why a case is known to go wrong; undefined where it has to hold. */
export function knownFor({ title }: Job, law: string, at: string): Known | undefined {
  return known.find((one) => one.job === title && law.startsWith(one.law) && one.at.test(at));
}
