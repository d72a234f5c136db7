/** `--report`: a page of every run, however it ends, and nothing done where it cannot be written. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { InterruptedError } from "../../../plugin/cmdutil/context";
import { PermissionError, TimeoutError } from "../../../plugin/domain/base/errors";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import type { Report } from "../../../plugin/kernel/report";
import { aFolder } from "../../support/a-folder";
import { type Scene, typed } from "../../support/program-world";

const folder = aFolder("report");
const cluster = {
  ...{ server: "https://cluster", namespace: "engine", close: () => undefined },
  login: { context: "prod", user: 'user "eve"', as: "alice", asGroups: ["ops"] },
  whoAmI: () => Promise.resolve("alice"),
  list: () => Promise.reject(new PermissionError("no list")),
  get: () => Promise.reject(new PermissionError("no get")),
  serves: () => Promise.reject(new PermissionError("no discovery")),
  version: () => Promise.resolve("v1.34.1"),
  can: () => Promise.resolve(false),
} as unknown as KubeClient;

const plain = (text: string): string => text.replaceAll("\\", "");

test.each([
  ["another ending", "x.pdf", /ends neither in \.html nor in \.md/],
  ["no name before the ending", ".html", /ends neither in/],
  ["a folder that does not exist", join(folder, "none/x.html"), /no such folder/],
])("%s is wrong usage, and nothing is done", async (_, file, said) => {
  const connect = jest.fn();
  const { code, err } = await typed(["check", "--report", file], { connect });
  expect(code).toBe(2);
  expect(err).toMatch(said);
  expect(connect).not.toHaveBeenCalled();
  expect(existsSync(file)).toBe(false);
});

test("a folder in the place of the file is wrong usage", async () => {
  const file = join(folder, "folder.html");
  mkdirSync(file);
  const { code, err } = await typed(["version", "--client", "--report", file]);
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a folder") as string,
  });
});

test.each(["check --list", "explain SECRET-MISSING", "version --client", "options"])(
  "%s has a page too, and prints what it prints",
  async (line) => {
    const file = join(folder, "any.html");
    const said = await typed(line.split(" "));
    expect(await typed([...line.split(" "), "--report", file])).toEqual(said);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(`kubectl engine ${line}`);
    rmSync(file);
  },
);

test("a script that is printed for a shell is nothing else, and has no page", async () => {
  const file = join(folder, "script.html");
  const said = await typed(["completion", "bash"]);
  expect(await typed(["completion", "bash", "--report", file])).toEqual(said);
  expect(existsSync(file)).toBe(false);
});

test("wrong usage has a page that quotes no word of the line", async () => {
  const file = join(folder, "usage.md");
  const { code } = await typed(["check", "--pasword", "hunter2", "--report", file]);
  expect(code).toBe(2);
  const text = plain(readFileSync(file, "utf8"));
  expect(text).toContain("Ended with exit code 2");
  expect(text).not.toContain("hunter2");
});

const connect = () => Promise.resolve(cluster);
const aborted = new AbortController();
aborted.abort(new InterruptedError("SIGINT"));
const ends: readonly (readonly [string, number, Scene])[] = [
  ["is refused", 4, { connect: () => Promise.reject(new PermissionError("no")) }],
  ["times out", 124, { connect: () => Promise.reject(new TimeoutError("waited in vain")) }],
  [
    "is interrupted",
    130,
    { connect: () => Promise.reject(new Error("cut")), signal: aborted.signal },
  ],
  ["crashes", 70, { connect: () => Promise.reject(new Error("a defect")) }],
];

test.each(ends)(
  "a run that %s has a page that says so, in the place of the one before",
  async (...row) => {
    const [, exit, scene] = row;
    const file = join(folder, "end.md");
    writeFileSync(file, "an older page");
    const { code } = await typed(["unbind-scc", "--report", file], scene);
    expect(code).toBe(exit);
    expect(plain(readFileSync(file, "utf8"))).toContain(`Ended with exit code ${exit}`);
    expect(readdirSync(folder).filter((name) => name.startsWith("end.md"))).toEqual(["end.md"]);
  },
);

test("page and document tell who ran it, as whom, and where", async () => {
  const file = join(folder, "who.md");
  const line = ["check", "--report", file, "-o", "json"];
  const { out } = await typed(line, { connect });
  const { origin } = JSON.parse(out) as Report;
  expect(origin).toMatchObject({
    context: "prod",
    user: 'user "eve"',
    as: "alice",
    identity: "alice",
  });
  for (const fact of ["prod", "eve", "alice", "ops"])
    expect(readFileSync(file, "utf8")).toContain(fact);
  const without = await typed(["check", "-o", "json"], { connect });
  expect((JSON.parse(without.out) as Report).origin).toBeUndefined();
});

test("a page that cannot be written at the end fails a run that went well, and says why", async () => {
  const inner = join(folder, "gone");
  mkdirSync(inner);
  const file = join(inner, "x.html");
  const list = () => {
    rmSync(inner, { recursive: true, force: true });
    return Promise.resolve([]);
  };
  const version = () => Promise.resolve("v1.34.1");
  const there = { ...cluster, list, version, get: () => Promise.resolve(undefined) } as KubeClient;
  const { code, err } = await typed(["version", "--report", file], {
    connect: () => Promise.resolve(there),
  });
  expect(code).toBe(1);
  expect(err).toContain("cannot write the report: no such folder");
});

test("as root everything can be written: elsewhere a folder that is read-only is wrong usage", async () => {
  const inner = join(folder, "read-only");
  mkdirSync(inner);
  chmodSync(inner, 0o500);
  const { code } = await typed(["version", "--client", "--report", join(inner, "x.md")]);
  expect(code).toBe(process.getuid?.() === 0 ? 0 : 2);
});
