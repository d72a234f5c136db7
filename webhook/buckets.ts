/** A histogram without labels, in the exposition format: a library's own takes longer than a rule. */

/** What is told of it beside the numbers. */
export interface About {
  readonly name: string;
  readonly help: string;
  /** The upper bounds, ascending. */
  readonly buckets: readonly number[];
}

export class Buckets {
  private readonly counts: number[];
  private sum = 0;
  private count = 0;

  constructor(private readonly about: About) {
    this.counts = about.buckets.map(() => 0);
  }

  observe(value: number): void {
    const { buckets } = this.about;
    this.sum += value;
    this.count += 1;
    for (let index = 0; index < buckets.length; index += 1) {
      if (value > Number(buckets[index])) continue;
      this.counts[index] = Number(this.counts[index]) + 1;
      return;
    }
  }

  render(): string {
    const { name, help, buckets } = this.about;
    let below = 0;
    const bounded = buckets.map((bound, index) => {
      below += Number(this.counts[index]);
      return `${name}_bucket{le="${bound}"} ${below}`;
    });
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...bounded,
      `${name}_bucket{le="+Inf"} ${this.count}`,
      `${name}_sum ${this.sum}`,
      `${name}_count ${this.count}`,
      "",
    ].join("\n");
  }
}
