/** Every command does what it did: records are compared with files. UPDATE_GOLDEN=1 writes them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listUnnamedWaits } from "../support/named-waits";
import { Recorder, type Scenario } from "./recorder";
import { type Kept, kept } from "./scenarios";

const folder = join(__dirname, "kept");
const recorder = new Recorder();

type File = readonly [name: string, record: () => Promise<string>];

function each(
  scenarios: Readonly<Record<string, Scenario>>,
  ending: string,
  record: (scenario: Scenario) => Promise<string>,
): readonly File[] {
  return Object.entries(scenarios).map(([name, one]) => [`${name}.${ending}`, () => record(one)]);
}

async function outcomes(scenarios: Kept["outcomes"]): Promise<string> {
  const told: string[] = [];
  for (const [name, one] of Object.entries(scenarios))
    told.push(`## ${name}\n${await recorder.outcome(one)}`);
  return told.join("\n");
}

const files = Object.entries(kept).flatMap(([command, one]) => {
  const all: readonly File[] = [
    ...each(one.requests, "requests.txt", (scenario) => recorder.requests(scenario)),
    ...each(one.texts, "output.txt", (scenario) => recorder.text(scenario)),
    ...each(one.documents, "json", (scenario) => recorder.document(scenario)),
    ...(Object.keys(one.outcomes).length === 0
      ? []
      : [["outcomes.txt", () => outcomes(one.outcomes)] as const]),
  ];
  return all.map(([name, record]): File => [join(command, name), record]);
});

test.each(files)("%s", async (name, record) => {
  const path = join(folder, name);
  const text = await record();
  expect(listUnnamedWaits(text)).toEqual([]);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text).toBe(existsSync(path) ? readFileSync(path, "utf8") : "");
});

const done = Object.entries(kept).flatMap(([command, { texts }]) =>
  texts["done"] === undefined ? [] : [[command, texts["done"]] as const],
);
test.each(done)("%s asks for the same, whatever it prints", async (_, scenario) => {
  const [text, json] = await recorder.bothRequests(scenario);
  expect(text).toBe(json);
});

// a list that a gate needs, and that the command does not read, would be told as "not checked"
test.each(done)("%s has read all that it judges by", async (_, scenario) => {
  expect(await recorder.text(scenario)).not.toContain(": not checked: ");
});

test("there is no record of anything else", () => {
  const there = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const names = files.map(([name]) => name);
  expect(there.filter((name) => name.includes(".") && !names.includes(name))).toEqual([]);
});
