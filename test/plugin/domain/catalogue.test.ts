import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../../plugin/domain/catalogue";
import { checkCodes } from "../../../plugin/domain/checks/all";
import { kinds } from "../../../plugin/domain/kinds";

/** Every `code: "…"` of the sources below a folder: what can become a finding. */
function codesBelow(folder: string): readonly string[] {
  const root = join(__dirname, "../../../plugin", folder);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(/\bcode: "([A-Z-]+)"/g)])
    .map(([, code = ""]) => code);
}

test("every code has a cause, a way out and a source", () => {
  for (const { code, severity, cause, fix, source } of catalogue) {
    expect(code).toMatch(/^([A-Z]+(-[A-Z]+)+|R[123]|REF|USAGE)$/);
    expect(["error", "warning"]).toContain(severity);
    expect([cause, fix, source]).not.toContain("");
  }
});

test("each code is there once, in alphabetical order", () => {
  const codes = catalogue.map(({ code }) => code);
  expect(codes).toEqual([...new Set(codes)].sort());
});

test.each(["domain/webhook", "run/swap", "domain"])(
  "every finding of %s is explained",
  (folder) => {
    const known = catalogue.map(({ code }) => code);
    const used = codesBelow(folder);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((code) => !known.includes(code))).toEqual([]);
  },
);

test("what is explained of the webhook is a finding somewhere", () => {
  const used = [...codesBelow("domain"), ...codesBelow("run")];
  const judged = checkCodes.map(({ code }) => code);
  const own = catalogue.filter(
    ({ code }) => /^(WEBHOOK|PROBE|FIELD)-/.test(code) && !judged.includes(code),
  );
  // the list of codes is one of the sources: each has to be there twice; a check is both in one
  expect(own.filter(({ code }) => used.filter((one) => one === code).length < 2)).toEqual([]);
});

test("Kubernetes' own kinds are addressed by plural and version", () => {
  for (const { plural, kind, version } of Object.values(kinds)) {
    expect(plural).toBe(`${kind.toLowerCase()}s`);
    expect(version).toBe("v1");
  }
});
