/** `rehearse --serve-api`: the cluster's REST API, played until someone interrupts it. */
import { schemaProblems } from "../../control-plane/plugin-run";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dump } from "js-yaml";
import { defaultNames } from "../../../plugin/domain/names";
import { runProgram } from "../../../plugin/program";
import { exampleSource } from "../../../plugin/rehearsal/example";
import { basicOf, called } from "../../support/played-cluster-api";
import { type Ended, startOfRun, typed, worldOf } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

let folder = "";
beforeEach(() => {
  folder = aFolder("serve");
});

/** The service while it runs, and how it ended. */
interface Serving {
  readonly url: string;
  readonly user: string;
  readonly files: Readonly<Record<"ca" | "password" | "netrc", string>>;
  readonly said: () => string;
  readonly interrupt: () => Promise<Ended>;
}

async function serving(
  line: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Serving> {
  const stop = new AbortController();
  const world = worldOf(["rehearse", "--serve-api", ...line], {
    env: { ENGINE_HOME: join(folder, "home"), HOME: folder, ...env },
    signal: stop.signal,
    clock: { now: () => startOfRun, sleep: () => Promise.resolve() },
  });
  const said = () => world.written().err;
  const ready = new Promise<void>((resolve) => {
    world.streams.err.on("data", () => {
      if (said().includes("until interrupted")) resolve();
    });
  });
  const end = runProgram(world);
  await Promise.race([ready, end]);
  const found = (pattern: RegExp) => pattern.exec(said())?.[1] ?? "";
  return {
    url: found(/(https:\/\/127\.0\.0\.1:\d+)/),
    user: found(/user: (\S+)/),
    files: {
      ca: found(/certificate to trust: in the file (\S+)/),
      password: found(/password: in the file (\S+)/),
      netrc: found(/--netrc-file (\S+)/),
    },
    said,
    interrupt: async () => {
      stop.abort(new Error("interrupted"));
      const code = await end;
      await new Promise(setImmediate);
      return { code, ...world.written() };
    },
  };
}

const text = (file: string) => readFileSync(file, "utf8");

async function databasesOf({ url, user, files }: Serving): Promise<unknown> {
  const authorization = basicOf({ name: user, password: text(files.password) });
  const { status, body } = await called(`${url}/v1/bdbs`, {
    ca: text(files.ca),
    headers: { authorization },
  });
  return status === 200 ? body : status;
}

test("the example's databases are served with what was written for their caller", async () => {
  const served = await serving();
  expect(await databasesOf(served)).toMatchObject([
    { uid: 1, name: "config" },
    { uid: 2, name: "orders" },
    { uid: 3, name: "sessions" },
    { uid: 4, name: "totals" },
    { uid: 5, name: "carts-db" },
  ]);
  await served.interrupt();
});

test("the files are their owner's alone, under the home, and gone at the end", async () => {
  const served = await serving();
  const { ca, password, netrc } = served.files;
  expect(dirname(dirname(ca))).toBe(join(folder, "home"));
  expect([ca, password, netrc].map((file) => statSync(file).mode & 0o777)).toEqual([
    ...[0o600, 0o600, 0o600],
  ]);
  expect(statSync(dirname(ca)).mode & 0o777).toBe(0o700);
  expect(text(netrc)).toBe(`machine 127.0.0.1 login ${served.user} password ${text(password)}\n`);
  await served.interrupt();
  expect([ca, password, netrc].filter((file) => existsSync(file))).toEqual([]);
  expect(
    readdirSync(join(folder, "home")).filter((name) => name.startsWith("cluster-api")),
  ).toEqual([]);
});

test("being interrupted is its good end; the password is in neither stream", async () => {
  const served = await serving(["-o", "json"]);
  const password = text(served.files.password);
  await databasesOf(served);
  const { code, out, err } = await served.interrupt();
  expect(schemaProblems(JSON.parse(out))).toEqual([]);
  expect(JSON.parse(out)).toMatchObject({
    kind: "ServedApi",
    details: { address: served.url, databases: 5, calls: 1 },
    exit: { code: 0 },
  });
  expect(code).toBe(0);
  expect(out + err).not.toContain(password);
  await expect(called(`${served.url}/v1/bdbs`, { ca: "" })).rejects.toThrow();
});

test("databases of a dump, on the release that is asked for", async () => {
  const { objects } = await exampleSource(defaultNames, startOfRun);
  const isMeant = ({ kind, metadata }: (typeof objects)[number]): boolean =>
    kind !== defaultNames.edb.kind || metadata.name === "sessions";
  const file = join(folder, "dump.yaml");
  writeFileSync(file, dump({ apiVersion: "v1", kind: "List", items: objects.filter(isMeant) }));
  const served = await serving(["--from", file, "--api-release", "8.2"]);
  expect(await databasesOf(served)).toMatchObject([{ uid: 3, name: "sessions" }]);
  const document = await called(`${served.url}/v1/openapi.json`, { ca: text(served.files.ca) });
  expect(document.body).toMatchObject({ openapi: "3.1.0", info: { version: "8.2.0-1" } });
  await served.interrupt();
});

test.each([
  ["a command", ["rehearse", "--serve-api", "reapply-rbac"], "without reapply-rbac"],
  ["a release without the service", ["rehearse", "--api-release", "8.0"], "--api-release: goes with --serve-api"],
])("refused as a usage error: %s", async (...[, line, why]) => {
  const env = { HOME: folder, KUBECONFIG: join(folder, "none") };
  const { code, out, err } = await typed(line, { env });
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(why);
}); // prettier-ignore
