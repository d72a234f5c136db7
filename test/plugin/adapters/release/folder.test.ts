import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readWebhookTemplate } from "../../../plugin/adapters/release";
import { UsageError } from "../../../plugin/domain/errors";
import { defaultNames } from "../../../plugin/domain/names";

const paths = defaultNames.release.webhook;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "release-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe("the template of a release", () => {
  test.each(paths)("is found at %s", async (path) => {
    const source = put(path, "a: 1\n");
    expect(await readWebhookTemplate(folder, paths)).toEqual({ text: "a: 1\n", source });
  });

  test("is the specification's where both are there", async () => {
    put("admission/webhook.yaml", "field");
    put("deploy/admission/webhook.yaml", "spec");
    expect((await readWebhookTemplate(folder, paths)).text).toBe("spec");
  });
});

describe("a usage error that names the folder", () => {
  test.each<[string, () => string]>([
    ["nothing is there", () => folder],
    ["the folder does not exist", () => join(folder, "none")],
    ["it is a file", () => put("file", "x")],
    ["a part of the path is a file", () => (put("deploy", "x"), folder)],
  ])("%s", async (_title, place) => {
    const path = place();
    const read = readWebhookTemplate(path, paths);
    await expect(read).rejects.toThrow(UsageError);
    await expect(read).rejects.toThrow(
      `release ${path} holds no webhook template, looked for deploy/admission/webhook.yaml and admission/webhook.yaml`,
    );
  });

  test("the template is a folder itself", async () => {
    put("deploy/admission/webhook.yaml/x", "x");
    await expect(readWebhookTemplate(folder, paths)).rejects.toThrow(
      /^cannot read .*webhook\.yaml \(EISDIR\)$/,
    );
  });
});
