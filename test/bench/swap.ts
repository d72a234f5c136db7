/**
 * How long `kubectl engine upgrade-webhook` takes on a cluster that is swapped already, its probes
 * included: on a control plane of its own, after `npm run build`; exit code 1 above the limit.
 */
import { logToStderr } from "../control-plane/binaries";
import { runner } from "../control-plane/plugin-run";
import { openSuite } from "../control-plane/suite";
import { clear, putOldConfiguration, runSwap, settle } from "../control-plane/swap-states";

const rounds = 15;
const limitMs = 2_000;

/** Milliseconds of each run, kubectl's own start included. */
export async function measureSwap(): Promise<readonly number[]> {
  const suite = await openSuite();
  const { controlPlane, api, scene } = suite;
  try {
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
    const swap = await runSwap(controlPlane);
    if (swap.code !== 0) throw new Error(`the swap ended with ${swap.code}:\n${swap.stderr}`);
    const kubeconfig = controlPlane.kubeconfigFor(runner.name, scene.namespace);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const from = process.hrtime.bigint();
      const { code, stderr } = await controlPlane.kubectl(["engine", "upgrade-webhook", "--yes"], {
        kubeconfig,
      });
      times.push(Number(process.hrtime.bigint() - from) / 1e6);
      if (code !== 0) throw new Error(`a run ended with ${code}:\n${stderr}`);
    }
    return times.sort((one, other) => one - other);
  } finally {
    await suite.close();
  }
}

async function main(): Promise<void> {
  const times = await measureSwap();
  const [least = NaN, most = NaN] = [times[0], times.at(-1)];
  const middle = times[Math.floor(times.length / 2)] ?? NaN;
  console.log(
    `upgrade-webhook, nothing to do: median ${middle.toFixed(0)} ms, ${least.toFixed(0)} to ` +
      `${most.toFixed(0)} ms in ${times.length} runs (limit ${limitMs})`,
  );
  if (most > limitMs) process.exitCode = 1;
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
