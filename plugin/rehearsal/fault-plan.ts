/** Which failures are put into which runs. */
import { UsageError } from "../domain/errors";
import { type Fault, faults, type Injection } from "./faults";
import type { Call } from "./observed-cluster";

/** One run with its failures. */
export type Scenario = readonly Injection[];

const randomRuns = 25;

/** The scenarios that a choice stands for; `calls` are those of the run without failures. */
export function planFaults(choice: string, calls: readonly Call[]): readonly Scenario[] {
  if (choice === "all") return everyFault(calls);
  if (/^\d+$/.test(choice)) return randomFaults(Number(choice), calls);
  return [chosenFaults(choice)];
}

/** The choice that repeats a scenario. */
export function spelled(scenario: Scenario): string {
  return scenario.map(({ call, fault }) => `${call}:${fault.id}`).join(",");
}

function everyFault(calls: readonly Call[]): readonly Scenario[] {
  return calls.flatMap((call, index) =>
    faults.filter((fault) => fault.meets(call)).map((fault) => [{ call: index + 1, fault }]),
  );
}

/** Every other scenario has a second failure, which the run or its repetition meets. */
function randomFaults(seed: number, calls: readonly Call[]): readonly Scenario[] {
  const random = generator(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const one = (first: number): Scenario => {
    const index = Math.floor(random() * calls.length);
    const call = calls[index];
    const fault = call && pick(faults.filter(({ meets }) => meets(call)));
    return fault === undefined ? [] : [{ call: first + index, fault }];
  };
  return Array.from({ length: randomRuns }, (_, run) => {
    const [begin] = one(1);
    if (begin === undefined) return [];
    return run % 2 === 0 ? [begin] : [begin, ...one(begin.call + 1)];
  });
}

/** Mulberry32: small, and the same everywhere. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Throws a UsageError for a choice that names a failure which does not exist. */
export function judgeChoice(choice: string): void {
  if (choice.includes(":")) chosenFaults(choice);
}

/** `17:conflict,20:lost`, as a report prints it; every unknown word is named. */
function chosenFaults(choice: string): Scenario {
  const parts = choice.split(",").map((part) => {
    const [call = "", id = ""] = part.split(":");
    return { call: Number(call), id, fault: faultNamed(id) };
  });
  const unknown = parts.filter(({ fault }) => fault === undefined).map(({ id }) => id);
  if (unknown.length > 0) {
    throw new UsageError(
      `--faults: no such fault: ${unknown.join(", ")}; there are ${faults.map(({ id }) => id).join(", ")}`,
    );
  }
  const chosen = parts.flatMap(({ call, fault }) => (fault === undefined ? [] : [{ call, fault }]));
  return chosen.sort((one, other) => one.call - other.call);
}

function faultNamed(id: string): Fault | undefined {
  return faults.find((fault) => fault.id === id);
}
