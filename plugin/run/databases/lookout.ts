/** One look at the cluster serves everybody who waits: a LIST of each kind a poll, however many databases. */
import type { KubeObject } from "../../domain/objects";
import { Absence, pollMs } from "../engine/wait";
import { readDefinition } from "../cluster/read";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import { readSeen, type Seen } from "./read";

/** Looks, and looks again. */
export class Lookout {
  #last: { readonly seen: Seen; readonly at: number } | undefined;
  #coming: Promise<Seen> | undefined;
  readonly #away = new Absence();
  /** Read once, and only where an active-active database is seen: it is large and does not change. */
  #definition: Promise<KubeObject | undefined> | undefined;
  /** Set once it is known whether an active-active database is among those that are meant. */
  participants = false;

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
  ) {}

  /** What is so now: read at most a poll ago. */
  async now(): Promise<Seen> {
    const last = this.#last;
    if (last !== undefined && this.deps.clock.now() - last.at < pollMs) return last.seen;
    return await this.#read();
  }

  /** What is so a poll later; whoever asks meanwhile is given the same. */
  next(): Promise<Seen> {
    this.#coming ??= this.#later();
    return this.#coming;
  }

  async #later(): Promise<Seen> {
    const { clock, signal } = this.deps;
    for (;;) {
      try {
        await clock.sleep(pollMs, signal);
      } finally {
        // who asks from here on has perhaps written after this look
        this.#coming = undefined;
      }
      const seen = await this.#unlessAway();
      if (seen !== undefined) return seen;
    }
  }

  async #unlessAway(): Promise<Seen | undefined> {
    const { clock, recorder } = this.deps;
    const from = clock.now();
    try {
      const seen = await this.#read();
      this.#away.end();
      return seen;
    } catch (error) {
      const { message, ms } = this.#away.tolerate(error, { from, until: clock.now() });
      recorder.waiting(`the API server (${message})`, ms / 1000);
      return undefined;
    }
  }

  async #read(): Promise<Seen> {
    const { deps, options, participants } = this;
    const at = deps.clock.now();
    const seen = await this.#defined(await readSeen(deps, options, participants));
    this.#last = { seen, at };
    return seen;
  }

  /** With the definition that tells where an active-active database keeps its version (C8). */
  async #defined(seen: Seen): Promise<Seen> {
    const { facts } = seen;
    if (facts.objects.eaadbs.length === 0) return seen;
    this.#definition ??= readDefinition(this.deps, "eaadb");
    const definition = await this.#definition;
    const definitions = definition === undefined ? [] : [definition];
    return { ...seen, facts: { ...facts, objects: { ...facts.objects, definitions } } };
  }
}
