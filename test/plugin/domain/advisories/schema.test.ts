import Ajv from "ajv";
import { readAdvisories } from "../../../../plugin/domain/advisories/rows";
import { advisoriesSchema } from "../../../../plugin/domain/advisories/schema";

const validate = new Ajv({ strictTypes: false }).compile(advisoriesSchema());

const row = {
  code: "SOME-CODE",
  severity: "warning",
  area: "databases",
  concerns: "database",
  title: "It is so",
  crosses: { engine: { to: ">=8.4" } },
  cause: "{database.name} is not so",
  fix: "make it so",
  source: "notes of a release",
  examples: {
    fires: { database: { version: "8.2", modules: [{ name: "search" }] } },
    silent: { target: null },
  },
};
const file = (...advisories: unknown[]) => ({ apiVersion: "advisories/v1", advisories });
const without = (...keys: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)));

test.each<[name: string, document: unknown, isValid: boolean]>([
  ["a row", file(row), true],
  ["a day", { ...file(row), date: "2026-11-30" }, true],
  [
    "a row with remedies",
    file({ ...without("fix"), remedies: [{ says: "do", run: ["oc", "x"] }] }),
    true,
  ],
  ["a row that switches one off", file({ code: "SOME-CODE", disabled: true }), true],
  ["no apiVersion", { advisories: [row] }, false],
  ["an unknown key", file({ ...row, wen: "true" }), false],
  ["an unknown severity", file({ ...row, severity: "fatal" }), false],
  ["an unknown area", file({ ...row, area: "database" }), false],
  ["a code in small letters", file({ ...row, code: "code" }), false],
  ["no source", file(without("source")), false],
  ["no way out", file(without("fix")), false],
  ["two ways out", file({ ...row, remedies: [{ says: "do" }] }), false],
  ["an unknown dimension", file({ ...row, at: { engin: "<8" } }), false],
  [
    "a step of a platform to somewhere",
    file({ ...row, crosses: { openshift: { to: "<8" } } }),
    false,
  ],
  [
    "an unknown variable",
    file({ ...row, examples: { fires: { databse: {} }, silent: {} } }),
    false,
  ],
  [
    "an unknown word",
    file({ ...row, examples: { fires: { database: { nam: "a" } }, silent: {} } }),
    false,
  ],
  [
    "a number for a version",
    file({ ...row, examples: { fires: { operator: { version: 8.2 } }, silent: {} } }),
    false,
  ],
])("%s: the schema says what the reader says", (_name, document, isValid) => {
  expect({
    schema: validate(document),
    reader: readAdvisories(document, "test").problems.length === 0,
  }).toEqual({
    schema: isValid,
    reader: isValid,
  });
});

test("every key and every word has a description", () => {
  const described = JSON.stringify(advisoriesSchema());
  expect(described).toContain('"eligible":{"description":"nodes that its node selector allows"');
  expect(described).toContain('"needsTarget":{"description":"it is not judged without');
});
