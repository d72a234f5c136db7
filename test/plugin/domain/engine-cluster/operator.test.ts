/** Which release a cluster is at, where its spec asks for none. */
import { chooseRelease } from "../../../../plugin/domain/engine-cluster/operator";

test.each<{ readonly asks: string; readonly running: readonly string[]; readonly is: string }>([
  { asks: "8.0.2-17", running: ["7.22.2-21"], is: "8.0.2-17" },
  { asks: "<none>", running: ["7.22.2-21", "8.0.2-17"], is: "7.22.2-21" },
  { asks: "<none>", running: [], is: "<none>" },
])("one that asks for $asks and runs $running is at $is", ({ asks, running, is }) => {
  expect(chooseRelease({ version: asks, running })).toBe(is);
});
