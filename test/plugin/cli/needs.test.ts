/** The Role that a command prints covers every request and access review of its runs on the example. */
import { reviewKinds } from "../../../plugin/domain/kube/kinds";
import {
  type Asked,
  askedAndPrinted,
  askedByCommands,
  printedByCommands,
} from "../../support/asked";
import { persons } from "../../support/persons";

const covers = (granted: Asked, asked: Asked): boolean =>
  granted.verb === asked.verb &&
  granted.group === asked.group &&
  granted.resource === asked.resource &&
  [undefined, asked.namespace].includes(granted.namespace) &&
  [undefined, asked.name].includes(granted.name);

/**
 * What a command that looks does where it may, and the Role that it prints leaves out: to change databases, and to read
 * Secrets, is more than one has to be allowed to see how they are.
 */
const isExtra = (path: string, { verb, resource }: Asked): boolean => {
  const isChange = ["get", "update"].includes(verb) && resource.startsWith("engineenterprise");
  return path === "status" ? isChange || resource === "secrets" : path === "check" && isChange;
};

/** Asked to find out which of two ways is open, and the other one is in the Role; or of another platform. */
const isElse = ({ verb, group, resource }: Asked): boolean =>
  resource === reviewKinds.local.plural ||
  verb === "use" ||
  ["config.openshift.io", "operators.coreos.com"].includes(group);

function beyond(asked: readonly Asked[], printed: readonly Asked[]): readonly string[] {
  return asked
    .filter((one) => !isElse(one))
    .filter((one) => !printed.some((granted) => covers(granted, one)))
    .map(({ verb, resource, namespace = "", name = "" }) =>
      [verb, resource, namespace, name].join(" ").trimEnd(),
    );
}

test("what a command asks for is in the Role that it prints", async () => {
  const [asked, printed] = [await askedByCommands(), await printedByCommands()];
  const uncovered = [...asked].flatMap(([path, all]) =>
    beyond(
      all.filter((one) => !isExtra(path, one)),
      printed.get(path) ?? [],
    ).map((line) => `${path} ${line}`),
  );
  expect([...new Set(uncovered)]).toEqual([]);
});

test("and so it is in clusters of which persons have made something else", async () => {
  const found = await askedAndPrinted(persons);
  const uncovered = [...found].flatMap(([title, { asked, printed }]) =>
    beyond(asked, printed).map((line) => `${title}: ${line}`),
  );
  expect([...new Set(uncovered)]).toEqual([]);
  const idle = [...found].filter(([, { asked }]) => !asked.some(({ writes }) => writes));
  expect(idle.map(([title]) => title)).toEqual([]);
});
