/** What `diff` shows of each write, held to what the real run then stores. */
import type { Api } from "./api";
import type { ControlPlane } from "./control-plane";
import { type PluginOptions, runPlugin } from "./plugin-run";

/** A write as the document tells it; spelled out here and not taken from the product. */
interface Shown {
  readonly target: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  readonly states: { readonly live?: object; readonly merged?: object };
}

/** The states of every write that the command would make; nothing is written for them. */
export async function shownBy(
  controlPlane: ControlPlane,
  args: readonly string[],
  options: PluginOptions = {},
): Promise<readonly Shown[]> {
  const { code, writes, report } = await runPlugin(controlPlane, ["diff", ...args], options);
  expect([code, writes]).toEqual([1, []]);
  const steps = (report.steps ?? []) as readonly { result: string; write?: Shown }[];
  return steps.flatMap(({ result, write }) =>
    result === "planned" && write !== undefined ? [write] : [],
  );
}

/** Every object is as the last write of it was shown; the words of a fingerprint are left out. */
export async function expectStored(api: Api, shown: readonly Shown[]): Promise<void> {
  expect(shown.length).toBeGreaterThan(0);
  const last = new Map(shown.map((one) => [JSON.stringify(one.target), one]));
  for (const { target, states } of last.values()) {
    const { group, version, kind, name, namespace } = target;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    const stored = await api.read({ apiVersion, kind, metadata });
    if (states.merged === undefined) expect(stored).toBeUndefined();
    else expect(stored).toMatchObject(withoutFingerprints(states.merged) as object);
  }
}

function withoutFingerprints(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "string" && one.includes("SHA-256 ") ? undefined : one,
    ),
  );
}
