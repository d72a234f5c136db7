/** When each pod of a roll was renewed, as far as looks at it tell. */
import { objectLabel } from "../../domain/kube/objects";
import type { Roll } from "../../domain/rollout/stateful-set";
import type { Recorder } from "../../kernel/recorder";
import type { Clock } from "../../ports/kubernetes";

/** Sees a roll again and again; a pod that was renewed before the first look has no time here. */
export class PodTimes {
  /** Since when each pod is renewed; undefined until that begins. */
  readonly #since = new Map<string, number | undefined>();
  #lastLook: number | undefined;

  constructor(private readonly deps: { readonly clock: Clock; readonly recorder: Recorder }) {}

  /** One look; between its old and its new pod a name may be absent. */
  see({ pods }: Pick<Roll, "pods">): void {
    const now = this.deps.clock.now();
    const looks = new Map(pods.map((one) => [objectLabel(one.pod), one]));
    if (this.#lastLook === undefined) {
      for (const [name, look] of looks) if (!isRenewed(look)) this.#since.set(name, undefined);
    }
    const begun = [...this.#since].filter(([name]) => !isOld(looks.get(name)));
    for (const [name, since] of begun) {
      const began = since ?? this.#lastLook ?? now;
      this.#since.set(name, began);
      if (isRenewed(looks.get(name))) this.#end(name, began, "done");
    }
    this.#lastLook = now;
  }

  /** Those whose renewal has begun and was not seen to end. */
  end(): void {
    for (const [name, since] of this.#since) {
      if (since !== undefined) this.#end(name, since, "failed");
    }
  }

  #end(name: string, since: number, result: "done" | "failed"): void {
    const { clock, recorder } = this.deps;
    recorder.pods.push({ name, result, ...recorder.stretch(since, clock.now()) });
    this.#since.delete(name);
  }
}

type Look = Roll["pods"][number] | undefined;

function isOld(look: Look): boolean {
  return look?.ready === true && !look.updated;
}

function isRenewed(look: Look): boolean {
  return look?.ready === true && look.updated;
}
