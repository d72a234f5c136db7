/** `--release` on the command line, with its two companions, as both commands take it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRelease } from "../../../plugin/adapters/release/open";
import type { CommandContext } from "../../../plugin/cmdutil/context";
import { readContents } from "../../../plugin/cmdutil/release-option";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { typed } from "../../support/program-world";
import { packFiles } from "../../support/releases/pack";
import { type ReleaseServer, startReleaseServer } from "../../support/releases/server";
import { releaseFiles, writeRelease } from "../../support/releases/tree";
import { aWebhookProgram } from "../../support/webhook-program";
import { aFolder } from "../../support/a-folder";
import { bundled } from "../../support/bundled";

const root = join(__dirname, "../../..");
let folder = "";
beforeEach(() => {
  folder = aFolder("release");
});

describe.each(["upgrade-webhook", "reapply-rbac"])("%s", (command) => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["--target alone", ["--target=7.22.0-7"], ["--target: goes with --release"]],
    ["--sha256 alone", ["--sha256=00"], ["--sha256: goes with --release"]],
    [
      "a target that is not a tag",
      ["--release=r", "--target=newest"],
      ['--target: "newest" is not a tag such as 7.22.0-7'],
    ],
    [
      "a tag that is not given",
      ["--release=https://127.0.0.1/{tag}.tar.gz"],
      ["--target has to say which"],
    ],
  ])(
    "%s is wrong usage before any cluster is asked",
    async (_title, flags, problems) => {
      const { code, err } = await typed([command, ...flags]);
      expect(code).toBe(2);
      for (const problem of problems) expect(err).toContain(problem);
      expect(err).not.toContain("no cluster here");
    },
    60_000,
  );
});

describe("a release behind a URL", () => {
  let server: ReleaseServer;
  const webhook = aWebhookProgram();
  beforeEach(async () => {
    const files = Object.entries(releaseFiles("7.22.0-7"));
    const bytes = await packFiles(files.map(([path, text]) => ({ name: `r/${path}`, text })));
    server = await startReleaseServer((request, response) => {
      if (request.url?.startsWith("/v7.22.0-7.tar.gz") === true) response.end(bytes);
      else response.writeHead(404).end();
    });
  });
  afterEach(async () => {
    await server.close();
  });

  /** A process of its own: node reads the CA that it trusts beside its own at its start alone. */
  async function run(
    words: readonly string[],
  ): Promise<{ code: number; out: string; err: string }> {
    const ca = join(folder, "ca.pem");
    writeFileSync(ca, server.ca);
    const args = [bundled("plugin/main.ts"), "rehearse", `--webhook=${webhook.file}`, ...words];
    const env = { PATH: process.env["PATH"], ENGINE_HOME: folder, NODE_EXTRA_CA_CERTS: ca };
    const child = spawn(process.execPath, args, { cwd: root, env });
    const texts = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => (texts.out += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (texts.err += chunk.toString("utf8")));
    const [code] = (await once(child, "close")) as [number];
    return { code, ...texts };
  }

  test("serves the webhook and the roles of one run, and its digest is shown", async () => {
    const address = `${server.url}/v{tag}.tar.gz?token=s3cr3t`;
    const { code, out, err } = await run([
      ...["upgrade-webhook", "--target=7.22.0-7"],
      `--release=${address}`,
    ]);
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    expect(err).toMatch(
      new RegExp(`release ${server.url}/v7\\.22\\.0-7\\.tar\\.gz\\?…, SHA-256 [0-9a-f]{64}`),
    );
    expect(out + err).not.toContain("s3cr3t");
  }, 60_000);

  test("that is not there is wrong usage, and says to look at the tag", async () => {
    const { code, err } = await run([
      ...["reapply-rbac", "--target=8.0.2-2"],
      `--release=${server.url}/v{tag}.tar.gz`,
    ]);
    expect(code).toBe(2);
    expect(err).toContain(`${server.url}/v8.0.2-2.tar.gz answered 404`);
    expect(err).toContain("check the address, and the tag in it");
  }, 60_000);
});

describe("the contents of a release", () => {
  const signal = new AbortController().signal;
  const context = { names } as CommandContext;

  test("are read for a platform", async () => {
    const place = writeRelease(folder, "8.0.2-2");
    const release = await openRelease(place, { names, env: {}, signal });
    const contents = readContents(release, "openshift", { context, target: "8.0.2-2" });
    expect(contents).toMatchObject({ operatorVersion: "8.0.2-2", clusterVersion: "8.0.2-17" });
  });

  test("are refused with every problem", async () => {
    writeFileSync(join(folder, "bundle.yaml"), "a: 1\n---\nb: 2\n");
    const release = await openRelease(folder, { names, env: {}, signal });
    expect(() => readContents(release, "kubernetes", { context })).toThrow(
      /document 1 .*; .*document 2 .*; .*holds no Deployment/,
    );
  });
});
