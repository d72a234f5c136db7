import { UnavailableError } from "../../plugin/domain/errors";
import type { ApiFault } from "../../plugin/rehearsal/cluster-api/faults";
import type { RecoverOptions } from "../../plugin/run/recovery/deps";
import {
  aFrozenScene,
  aModuleFile,
  type FrozenWish,
  type Scene,
  stateOf,
} from "../plugin/run/recovery/scene";

jest.setTimeout(600_000); // a whole recovery, and a second one, for each call

const kinds: readonly (readonly [string, FrozenWish, Partial<RecoverOptions>])[] = [
  ["an old database", { version: "6.2" }, { engineVersion: "7.2" }],
  [
    "a missing module",
    { modules: [{ name: "rg", version: "1.2.5" }] },
    { modules: [aModuleFile()] },
  ],
];

const posts = ({ api }: Scene) => api.calls.filter(({ method }) => method === "POST");

async function inScene<T>(wish: FrozenWish, act: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = await aFrozenScene(wish);
  try {
    return await act(scene);
  } finally {
    await scene.api.close();
  }
}

/** Re-runs as a person would, with time between them. */
async function requireRecovered(scene: Scene, options: Partial<RecoverOptions>): Promise<void> {
  for (let left = 3; left > 0; left -= 1) {
    const { report } = await scene.run(options);
    if (report.exit.code === 0) break;
    await scene.clock.sleep(30_000);
  }
  const { asks, runs, ...rest } = await stateOf(scene);
  expect(rest).toEqual({ state: "Running", specStatus: "Valid", observed: true });
  expect(runs).toBe(`${String(asks)}.0`);
}

/** Positions of each different request: later ones of a kind are polls. */
function positions(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, index) => (lines.indexOf(line) === index ? [index] : []));
}

describe.each(kinds)("frozen by %s", (_title, wish, options) => {
  test("the API server fails at each request in turn: the run goes on, or a re-run recovers", async () => {
    const lines: string[] = [];
    await inScene(wish, async (scene) => {
      scene.before = (line) => Promise.resolve(void lines.push(line));
      await scene.run(options);
    });
    const all = positions(lines);
    expect(all.length).toBeGreaterThan(15);
    for (const position of all) {
      const moments = lines[position]?.startsWith("patch") === true ? 2 : 1;
      for (const when of (["before", "after"] as const).slice(0, moments)) {
        await inScene(wish, async (scene) => {
          let seen = -1;
          scene[when] = () => {
            seen += 1;
            if (seen !== position) return Promise.resolve();
            return Promise.reject(new UnavailableError("the connection was cut"));
          };
          await scene.run(options);
          scene[when] = () => Promise.resolve();
          await requireRecovered(scene, options);
          expect(posts(scene)).toHaveLength(1);
        });
      }
    }
  });

  test("the REST service fails at each call in turn: the run goes on, or a re-run recovers", async () => {
    const calls = await inScene(wish, async (scene) => {
      const before = scene.api.calls.length;
      await scene.run(options);
      return scene.api.calls.slice(before).map(({ method, path }) => `${method} ${path}`);
    });
    for (const position of positions(calls)) {
      for (const fault of faultsOf(calls[position] ?? "", position)) {
        await inScene(wish, async (scene) => {
          // as often as the client tries again
          scene.api.faults.add({ fault, skip: position, times: fault.does === "cut" ? 4 : 1 });
          await scene.run(options);
          scene.api.faults.clear();
          await requireRecovered(scene, options);
          expect(posts(scene).filter(({ status }) => status === 200).length).toBeLessThan(2);
        });
      }
    }
  });
});

/** Of reads, one kind of failure after the other; of writes, all of them. */
function faultsOf(call: string, position: number): readonly ApiFault[] {
  const before: readonly ApiFault[] = [
    { does: "answer", status: 500 },
    { does: "cut", when: "before" },
  ];
  const after: readonly ApiFault[] = [
    { does: "answer", status: 500, when: "after" },
    { does: "cut", when: "after" },
  ];
  return call.startsWith("POST") ? [...before, ...after] : before.slice(position % 2).slice(0, 1);
}
