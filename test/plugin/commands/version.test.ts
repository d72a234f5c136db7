import { version } from "../../../package.json";
import { versionText } from "../../../plugin/commands/completion";
import { typed } from "../../support/program-world";

test.each([[["version"]], [["version", "--client"]]])("%p prints kubectl's line", async (argv) => {
  expect(await typed(argv)).toEqual({ code: 0, out: `Client Version: v${version}\n`, err: "" });
});

test("version -o json names the platform too, and no run", async () => {
  const { out } = await typed(["version", "-o", "json"]);
  expect(JSON.parse(out)).toEqual({
    apiVersion: "cli.engine.com/v1",
    kind: "Version",
    details: {
      clientVersion: {
        version,
        node: process.versions.node,
        platform: `${process.platform}/${process.arch}`,
      },
    },
    exit: { code: 0, reason: `version ${version}` },
  });
});

test("a document without details has an empty line", () => {
  const exit = { code: 0, reason: "x" } as const;
  const report = { apiVersion: "cli.engine.com/v1", kind: "Version", exit } as const;
  expect(versionText(report)).toBe("Client Version: v\n");
});
