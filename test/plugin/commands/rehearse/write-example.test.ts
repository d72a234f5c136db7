/** The example's release, written to a folder as a person types it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { openRelease } from "../../../../plugin/adapters/release/open";
import { exampleRelease } from "../../../../plugin/simulator/example";
import { aFolder } from "../../../support/a-folder";
import { typed } from "../../../support/program-world";

const write = (folder: string, ...more: readonly string[]) =>
  typed(["rehearse", "--write-example", folder, ...more]);

test("every file is written, opens as the release that a rehearsal upgrades to, and stays", async () => {
  const folder = join(aFolder("example"), "deep", "release");
  const first = await write(folder);
  const target = "8.0.18-11";
  const last = `Done: release ${target} is in ${folder}; give --release ${folder} --target ${target}`;
  expect([first.code, first.err, first.out.trimEnd().split("\n").at(-1)]).toEqual([0, "", last]);
  expect(first.out).toContain(`${folder}/deploy/bundle.yaml created`);
  const opened = await openRelease(folder, {
    ...{ names, env: {}, signal: new AbortController().signal },
  });
  expect(opened.sha256).toBe(exampleRelease(names).sha256);
  const again = await write(folder, "-o", "json");
  const { kind, details } = JSON.parse(again.out) as {
    readonly kind: string;
    readonly details: { readonly files: readonly { readonly result: string }[] };
  };
  expect(kind).toBe("ExampleRelease");
  expect(new Set(details.files.map(({ result }) => result))).toEqual(new Set(["unchanged"]));
});

test("a file that was changed is named, and none is written", async () => {
  const folder = aFolder("example");
  const bundle = join(folder, "deploy", "bundle.yaml");
  mkdirSync(join(folder, "deploy"));
  writeFileSync(bundle, "mine\n");
  const { code, err } = await write(folder);
  expect([code, readdirSync(join(folder, "deploy"))]).toEqual([2, ["bundle.yaml"]]);
  expect(err).toContain(`${bundle} is there, with another content`);
  expect(readFileSync(bundle, "utf8")).toBe("mine\n");
});

test("a dry run writes nothing", async () => {
  const folder = join(aFolder("example"), "release");
  const { code, out } = await write(folder, "--dry-run=client");
  expect([code, existsSync(folder)]).toEqual([0, false]);
  expect(out).toContain(`${folder}/deploy/bundle.yaml planned`);
});

test("a place that is no folder is named", async () => {
  const file = join(aFolder("example"), "file");
  writeFileSync(file, "");
  chmodSync(file, 0o600);
  const { code, err } = await write(join(file, "release"));
  expect([code, err]).toEqual([2, expect.stringContaining("cannot write the example")]);
});

test.each([
  [["upgrade"], "--write-example: goes without upgrade"],
  [["--from", "dump.yaml"], "--write-example: goes without --from"],
])("it goes alone: %j", async (more, problem) => {
  const folder = join(aFolder("example"), "release");
  const { code, err } = await typed(["rehearse", "--write-example", folder, ...more]);
  expect([code, existsSync(folder)]).toEqual([2, false]);
  expect(err).toContain(problem);
});
