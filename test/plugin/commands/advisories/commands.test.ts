/** `advisories lint`, `test` and `list`, and what `explain` says of advisories: no cluster is asked. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { listShipped, shippedDate } from "../../../../plugin/domain/advisories/shipped";
import type { AdvisoriesDetails } from "../../../../plugin/cmdutil/advisories-list";
import { InterruptedError } from "../../../../plugin/cmdutil/context";
import type { Report } from "../../../../plugin/kernel/report";
import { schemaProblems } from "../../../control-plane/plugin-run";
import { aFolder } from "../../../support/a-folder";
import { type Ended, typed } from "../../../support/program-world";
import { admin, makeWorld } from "../../../support/world";
import { deployment } from "../../domain/checks/labels";
import { fitWorld, type World } from "../../domain/checks/world";

const head = 'apiVersion: advisories/v1\ndate: "2026-01-01"\nadvisories:\n';
const row = (code: string, change: Readonly<Record<string, string>> = {}): string =>
  Object.entries({
    "  - code": code,
    severity: "warning",
    area: "databases",
    concerns: "database",
    title: "No data is on flash",
    when: "database.flash",
    cause: "a part of its data is on flash",
    fix: "look at it by day",
    source: "rules of our house",
    ...change,
    examples:
      change["examples"] ??
      "{ fires: { database: { flash: true } }, silent: { database: { flash: false } } }",
  })
    .map(([key, value]) => `${key.startsWith("  - ") ? "" : "    "}${key}: ${value}\n`)
    .join("");

let folder = "";
beforeEach(() => {
  folder = aFolder("advisories");
});

function put(name: string, ...rows: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, head + rows.join(""));
  return file;
}

/** The end of a line that no cluster is needed for, its folder masked. */
async function run(...words: readonly string[]): Promise<Ended> {
  const { code, out, err } = await typed(words);
  const mask = (text: string): string =>
    text.replaceAll(`${folder}/`, "").replaceAll(/\b[0-9a-f]{64}\b/g, "DIGEST");
  return { code, out: mask(out), err: mask(err) };
}

const other = "{ fires: { database: { flash: false } }, silent: { database: { flash: false } } }";

describe("advisories lint", () => {
  test("ends with 0 where nothing is wrong, and names each file with its digest", async () => {
    put("a.yaml", row("DATABASE-FLASH"));
    const { code, out } = await run("advisories", "lint", join(folder, "a.yaml"));
    expect(code).toBe(0);
    expect(out).toBe("a.yaml: of 2026-01-01, SHA-256 DIGEST\n\nDone: 1 row\n");
  });

  test("names every problem with file, line, column and field, and ends with 3", async () => {
    const file = put(
      "a.yaml",
      row("DATABASE-FLASH"),
      row("DATABASE-WORD", { when: "database.flesh" }),
      row("DATABASE-BARE", { fix: '"do {database.name}"' }),
    );
    const { code, out } = await run("advisories", "lint", file);
    expect(code).toBe(3);
    expect(out).toMatch(/error ADVISORY-BROKEN a\.yaml:\d+:11 Advisory\/database-word when\n/);
    expect(out).toMatch(/error ADVISORY-UNCLEAR a\.yaml:\d+:10 Advisory\/database-bare fix\n/);
    expect(out).toContain("Ended with exit code 3: 3 rows; 2 problems to correct\n");
  });

  test.each(["sarif", "junit", "github"])("is written as %s too", async (form) => {
    const file = put("a.yaml", row("DATABASE-BARE", { fix: '"do {database.name}"' }));
    const { code, out } = await run("advisories", "lint", file, "-o", form);
    expect(code).toBe(3);
    expect(out).toContain("ADVISORY-UNCLEAR");
    expect(out).toContain("a.yaml");
  });

  test("of a file that cannot be read ends with 2", async () => {
    const { code, err } = await run("advisories", "lint", join(folder, "none.yaml"));
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("advisories: no such file: none.yaml") as string,
    });
  });
});

describe("advisories test", () => {
  test("prints ok for each row, and ends with 0", async () => {
    const file = put("a.yaml", row("DATABASE-FLASH"), row("DATABASE-TWO"));
    const { code, out } = await run("advisories", "test", file);
    expect(code).toBe(0);
    expect(out).toBe("ok     database-flash\nok     database-two\n\nDone: 2 rows\n");
  });

  test("says which example has another end, and ends with 3", async () => {
    const file = put("a.yaml", row("DATABASE-FLASH"), row("DATABASE-TWO", { examples: other }));
    const { code, out } = await run("advisories", "test", file);
    expect(code).toBe(3);
    expect(out).toMatch(/^ok {5}database-flash\nfailed database-two\n/);
    expect(out).toMatch(/error ADVISORY-EXAMPLE a\.yaml:\d+:\d+ Advisory\/database-two examples/);
  });

  test("a row that only switches one off has nothing to try", async () => {
    const off = "  - { code: RELEASE-PATH, id: release-path-1, disabled: true }\n";
    const { code, out } = await run("advisories", "test", put("a.yaml", off));
    expect({ code, out }).toEqual({ code: 0, out: "ok     release-path-1\n\nDone: 1 row\n" });
  });

  test("a row that cannot be judged fails it, and the others are tested", async () => {
    const file = put(
      "a.yaml",
      row("DATABASE-WORD", { when: "database.flesh" }),
      row("DATABASE-TWO"),
    );
    const { code, out } = await run("advisories", "test", file);
    expect(code).toBe(3);
    expect(out).toMatch(/^ok {5}database-two\nfailed database-word\n/);
    expect(out).toContain("ADVISORY-BROKEN");
  });
});

describe("advisories list", () => {
  test("has every row that ships with the tool", async () => {
    const { code, out } = await run("advisories", "list");
    expect(code).toBe(0);
    expect(out).toMatch(/^CODE +ID +SEVERITY +TITLE +ORIGIN\n/);
    for (const { id } of listShipped()) expect(out).toContain(` ${id} `);
    expect(out).toContain(`are of ${shippedDate}`);
  });

  test("is what explain --advisories prints where no cluster can be reached, which it says", async () => {
    const listed = await run("advisories", "list", "-o", "wide");
    const { out, ...rest } = await run("explain", "--advisories", "-o", "wide");
    const says = "Which of them apply here is not known: no cluster here.\n";
    expect({ ...rest, out: out.replace(says, "") }).toEqual(listed);
    expect(out).toContain(says);
    expect(listed.out).toMatch(/^CODE +ID +SEVERITY +AREA +SOURCE +TITLE +ORIGIN\n/);
  });

  test("has a person's own rows, with their file, which is told with its digest and its age", async () => {
    const file = put("a.yaml", row("DATABASE-FLASH"));
    const { code, out } = await run("advisories", "list", "--advisories", file);
    expect(code).toBe(0);
    expect(out).toMatch(/^DATABASE-FLASH +database-flash +warning +No data is on flash +a\.yaml$/m);
  });

  test("names a row that was left out, and ends with 3", async () => {
    const file = put("a.yaml", row("DATABASE-WORD", { when: "database.flesh" }));
    const { code, out } = await run("advisories", "list", "--advisories", file);
    expect(code).toBe(3);
    expect(out).toContain("ADVISORY-BROKEN");
  });
});

describe("explain", () => {
  test("prints a person's own row with its source and its file", async () => {
    const file = put("a.yaml", row("DATABASE-FLASH", { crosses: '{ engine: { from: "<8.4" } }' }));
    const { code, out } = await run("explain", "database_flash", "--advisories", file);
    expect(code).toBe(0);
    expect(out).toBe(`Code:     DATABASE-FLASH (warning)
Row:      database-flash
Concerns: database
Holds:    No data is on flash
Cause:    a part of its data is on flash
Fix:      look at it by day
About:    engine from <8.4
When:     database.flash
Source:   rules of our house
File:     a.yaml
`);
  });

  test("prints every row that ships with the tool by its code", async () => {
    for (const { code, id, source } of listShipped()) {
      const { out } = await run("explain", code);
      expect(out).toMatch(new RegExp(`^Row: {6}${id.replaceAll(".", "\\.")}$`, "m"));
      expect(out).toContain(`Source:   ${source}`);
    }
  });

  test("without a code names what is missing", async () => {
    const { code, err } = await run("explain");
    expect(code).toBe(2);
    expect(err).toContain("CODE is missing; see kubectl engine explain --help");
  });

  test("offers the codes of a person's own rows where one is mistyped", async () => {
    const file = put("a.yaml", row("DATABASE-FLASH"));
    const { code, err } = await run("explain", "DATABASE-FLOSH", "--advisories", file);
    expect(code).toBe(2);
    expect(err).toContain("did you mean DATABASE-FLASH?");
  });
});

describe("explain --advisories, where a cluster can be reached", () => {
  type Place = { readonly namespace?: string; readonly user?: string };
  async function explain(change: (world: World) => unknown, place: Place = {}, ...more: string[]) {
    const world = await fitWorld();
    change(world);
    const plane = makeWorld({ objects: world.objects }).controlPlane;
    const { namespace = "engine", user } = place;
    const groups = ["system:authenticated"];
    const as = user === undefined ? admin : { name: user, groups };
    const cluster = plane.connect({ user: as, namespace });
    const before = plane.state;
    const file = put(
      "a.yaml",
      row("DATABASE-FLASH"),
      row("DATABASE-SHARDS", { when: "database.shards > 0" }),
      row("DATABASE-TARGET", { when: "has(target.engine)" }),
    );
    const ended = await typed(["explain", "--advisories", file, ...more], {
      connect: () => Promise.resolve(cluster),
    });
    expect(plane.state).toBe(before);
    return ended;
  }
  const asItIs = (): void => undefined;
  const mark = (out: string, id: string): string | undefined =>
    new RegExp(`^\\S+ +${id} .*a\\.yaml +(.*)$`, "m").exec(out)?.[1];

  test("each row is marked, and the place is named", async () => {
    const { code, out } = await explain(asItIs);
    expect(code).toBe(0);
    expect(out).toMatch(/^CODE +ID +SEVERITY +TITLE +ORIGIN +HERE\n/);
    expect(mark(out, "database-flash")).toBe("does not");
    expect(mark(out, "database-shards")).toMatch(
      /^applies here: EngineEnterpriseDatabase\/.*orders/,
    );
    expect(mark(out, "database-target")).toMatch(/^not known: .*it depends on the release/);
    expect(out).toMatch(/^HERE is namespace engine of /m);
  });

  test("the document has the same, and fits its schema", async () => {
    const { code, out } = await explain(asItIs, {}, "-o", "json");
    const report = JSON.parse(out) as Report & { details: AdvisoriesDetails };
    expect(code).toBe(0);
    expect(schemaProblems(report)).toEqual([]);
    const { advisories, place, unmarked } = report.details;
    expect(advisories.every(({ here }) => here !== undefined)).toBe(true);
    expect(advisories.find(({ id }) => id === "database-flash")?.here).toEqual({ is: "silent" });
    expect([place?.namespace, unmarked]).toEqual(["engine", undefined]);
  });

  test("of whom may read nothing no row on an object is said to stay silent", async () => {
    const { code, out } = await explain(asItIs, { user: "jane" });
    expect(code).toBe(0);
    expect(mark(out, "database-flash")).toMatch(/^not known: .*could not be read/);
    // the kinds that the server has tell the platform to whoever may list nothing
    expect(out).not.toMatch(/^(ACTIVE-ACTIVE|CLUSTER|DATABASE|MODULE|NODE)-.* does not$/m);
  });

  test("the operator is looked for in its own namespace", async () => {
    const { code, out } = await explain(asItIs, { namespace: "shop" });
    expect(code).toBe(0);
    expect(out).toMatch(/^HERE is namespace engine of /m);
  });

  test.each<[string, (world: World) => unknown, string, string]>([
    [
      "two operators elsewhere",
      (world) => world.copy(deployment, { namespace: "reports" }),
      "shop",
      "namespace shop has no operator; give one of engine, reports with -n",
    ],
    [
      "no such namespace",
      (world) => world.copy(deployment, { namespace: "reports" }),
      "nowhere",
      "namespace nowhere does not exist; give one of engine, reports with -n",
    ],
    [
      "no operator at all",
      (world) => world.remove(deployment),
      "shop",
      "namespace shop has no operator",
    ],
  ])("%s: it is listed, and said why nothing is marked", async (_title, change, namespace, why) => {
    const { code, out } = await explain(change, { namespace });
    expect(code).toBe(0);
    expect(out).toContain(`Which of them apply here is not known: ${why}.\n`);
    expect(out).not.toContain("HERE");
  });

  test("an interrupt is one", async () => {
    const ending = new AbortController();
    const connect = (): Promise<never> => {
      ending.abort(new InterruptedError("SIGINT"));
      return Promise.reject(new Error("aborted"));
    };
    const ended = await typed(["explain", "--advisories"], { signal: ending.signal, connect });
    expect(ended.code).toBe(130);
  });
});

test.each([
  ["advisories lint", "AdvisoriesLint"],
  ["advisories test", "AdvisoriesTest"],
  ["advisories list --advisories", "Advisories"],
  ["explain --advisories", "Explanation"],
  ["explain DATABASE-FLASH --advisories", "Explanation"],
])("the document of %s fits the schema", async (line, kind) => {
  const digest = createHash("sha256")
    .update(head + row("DATABASE-FLASH"))
    .digest("hex");
  const file = put("a.yaml", row("DATABASE-FLASH"));
  const pinned = [file, "--advisories-sha256", digest];
  const { code, out } = await typed([...line.split(" "), ...pinned, "-o", "json"]);
  const document = JSON.parse(out) as Report;
  expect([code, document.kind]).toEqual([0, kind]);
  expect(schemaProblems(document)).toEqual([]);
});
