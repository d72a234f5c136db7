import { renderNamespaces } from "../../../plugin/output/text";
import { palette } from "../../../plugin/output/escape";
import type { NamespaceReport } from "../../../plugin/kernel/report";

const shown = (all: readonly NamespaceReport[]): string =>
  renderNamespaces(all, { palette: palette(false), verbosity: 0 })
    .map((lines) => lines.join("\n"))
    .join("\n\n");

const named = (name: string, rest: Partial<NamespaceReport> = {}): NamespaceReport => ({
  name,
  result: "unchanged",
  ...rest,
});

test("namespaces that fared alike are one block, the others each their own", () => {
  const rules = { gained: ["events: patch"], lost: ["endpoints: get"] };
  expect(
    shown([
      named("a", { result: "changed", rules }),
      named("b", { result: "changed", rules }),
      named("c"),
    ]),
  ).toBe(
    [
      "2 namespaces changed: a, b",
      "  + events: patch",
      "  - endpoints: get",
      "",
      "1 namespace unchanged: c",
    ].join("\n"),
  );
});

test("of many names the first are shown, the others counted", () => {
  const all = Array.from({ length: 10 }, (_, n) => named(`ns-${n}`));
  expect(shown(all)).toBe(
    "10 namespaces unchanged: ns-0, ns-1, ns-2, ns-3, ns-4, ns-5, ns-6, ns-7 and 2 more",
  );
});
