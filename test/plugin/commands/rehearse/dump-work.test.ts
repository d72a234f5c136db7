/** What reading and judging a dump costs grows as the dump does, however it is written. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import type { RehearsalDetails } from "../../../../plugin/commands/rehearse/text";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { Report } from "../../../../plugin/kernel/report";
import { exampleSource } from "../../../../plugin/simulator/example";
import { aFolder } from "../../../support/a-folder";
import { startOfRun, typed } from "../../../support/program-world";
import { workOf } from "../../../support/work";

let example: readonly KubeObject[] = [];
const folder = aFolder("dump-work");
beforeAll(async () => {
  example = (await exampleSource(names, startOfRun)).objects;
});

const databases = (count: number): readonly KubeObject[] => {
  const found = example.find(({ kind }) => kind === names.edb.kind);
  if (found === undefined) throw new Error("the example has no database");
  return Array.from({ length: count }, (_, at) => ({
    ...found,
    metadata: { ...found.metadata, name: `further-${at}`, uid: `further-${at}` },
  }));
};
const listOf = (items: readonly KubeObject[]): object => ({
  apiVersion: "v1",
  kind: "List",
  items,
});
// as a dump holds them: what is undefined is not a field
const plain = (object: object): object => JSON.parse(JSON.stringify(object)) as object;

const written: Readonly<Record<string, (items: readonly KubeObject[]) => string>> = {
  documents: (items) => items.map((one) => dump(plain(one))).join("---\n"),
  "a List": (items) => dump(plain(listOf(items)), { noRefs: true }),
  "a List in JSON": (items) => JSON.stringify(listOf(items)),
  "JSON after JSON": (items) => items.map((one) => JSON.stringify(one)).join("\n"),
};

async function worked(form: string, command: string, count: number): Promise<number> {
  const path = join(folder, "dump.yaml");
  writeFileSync(path, String(written[form]?.([...example, ...databases(count)])));
  const env = { ENGINE_HOME: join(folder, "home"), HOME: folder };
  const line = ["rehearse", command, "--from", path, "-n", names.operator.namespace, "-o", "json"];
  let out = "";
  const work = await workOf(async () => {
    ({ out } = await typed(line, { env }));
  });
  const { details } = JSON.parse(out) as Report;
  expect((details as RehearsalDetails).stages).not.toEqual([]);
  return work;
}

test.each([
  ...Object.keys(written).map((form) => [form, "status"] as const),
  ["a List in JSON", "check"] as const,
])("%s, read by rehearse %s", async (form, command) => {
  await worked(form, command, 1);
  // what is done once, and for the example itself, is left out
  const none = await worked(form, command, 0);
  const few = (await worked(form, command, 500)) - none;
  const many = (await worked(form, command, 2_000)) - none;
  expect(few).toBeGreaterThan(10_000);
  expect(many / few).toBeLessThan(4.4);
});
