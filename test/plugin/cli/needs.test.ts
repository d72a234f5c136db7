/** The Role that a command prints covers every request and access review of its runs on the example. */
import { reviewKinds } from "../../../plugin/domain/kube/kinds";
import { type Asked, askedByCommands, printedByCommands } from "../../support/asked";

const covers = (granted: Asked, asked: Asked): boolean =>
  granted.verb === asked.verb &&
  granted.group === asked.group &&
  granted.resource === asked.resource &&
  [undefined, asked.namespace].includes(granted.namespace) &&
  [undefined, asked.name].includes(granted.name);

/** Asked to find out which of two ways is open, and the other one is in the Role; or of another platform. */
const isElse = ({ verb, group, resource }: Asked): boolean =>
  resource === reviewKinds.local.plural ||
  verb === "use" ||
  ["config.openshift.io", "operators.coreos.com"].includes(group);

test("what a command asks for is in the Role that it prints", async () => {
  const [asked, printed] = [await askedByCommands(), await printedByCommands()];
  const uncovered = [...asked].flatMap(([path, all]) =>
    all
      .filter((one) => !isElse(one))
      .filter((one) => printed.get(path)?.some((granted) => covers(granted, one)) !== true)
      .map(({ verb, resource, namespace = "", name = "" }) =>
        [path, verb, resource, namespace, name].join(" ").trimEnd(),
      ),
  );
  expect([...new Set(uncovered)]).toEqual([]);
});
