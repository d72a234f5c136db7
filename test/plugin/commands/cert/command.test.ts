import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "../../../../plugin/kernel/report";
import { stdinOf, typed } from "../../../support/program-world";
import { aWorld } from "./world";
import { aFolder } from "../../../support/a-folder";

let folder: string;
let world: ReturnType<typeof aWorld>;

beforeEach(() => {
  folder = aFolder("engine-cert");
  world = aWorld([]);
});

const end = async (line: string, stdin = "") => {
  const { code, out } = await typed(line.split(" "), {
    env: { ENGINE_HOME: join(folder, "home") },
    stdin: stdinOf(stdin),
    connect: () => Promise.resolve(world.cluster),
  });
  return { code, report: JSON.parse(out) as Report };
};

test("a pair is made, checked, refused without --replace, replaced, and put back by what was printed", async () => {
  const made = await end("cert create -n engine -o json");
  expect(made.code).toBe(0);
  const before = world.secret("admission-tls")?.["data"];

  const judged = await end("cert inspect -n engine -o json");
  expect(judged.code).toBe(0);
  expect(judged.report.certificate).toEqual(made.report.certificate);

  const again = await end("cert create -n engine -o json");
  expect(again.code).toBe(5);
  expect(again.report.exit.next).toContain(
    "kubectl engine cert create --replace --namespace=engine",
  );

  const replaced = await end("cert create -n engine --replace --years 1 -o json");
  expect(replaced.code).toBe(0);
  expect(replaced.report.certificate?.notAfter).toBe("2027-01-02T03:04:05Z");
  expect(world.secret("admission-tls")?.["data"]).not.toEqual(before);

  const [backup] = replaced.report.backups ?? [];
  const command = (backup?.command ?? "").replace("kubectl engine ", "");
  expect((await end(`${command} -o json`)).code).toBe(0);
  expect(world.secret("admission-tls")?.["data"]).toEqual(before);
});

test("the record of a run holds no data of a Secret", async () => {
  const { report } = await end("cert create -n engine -o json");

  const run = join(folder, "home", "runs", report.run?.id ?? "");
  expect(await readdir(run)).toEqual(["log.jsonl"]);
  const log = await readFile(join(run, "log.jsonl"), "utf8");
  expect(log).toContain('"result":"done"');
  expect(log).not.toContain("LS0t");
});

test("a Secret on stdin is checked without a cluster", async () => {
  await end("cert create -n engine -o json");
  const stdin = JSON.stringify(world.secret("admission-tls"));

  const { code, report } = await end("cert inspect -f - -o json", stdin);

  expect(code).toBe(0);
  expect(report.exit.reason).toBe("stdin is valid for admission.engine.svc");
  expect(report).not.toHaveProperty("target");
});

test("a file is checked for the namespace of -n", async () => {
  await end("cert create -n engine -o json");
  const stdin = JSON.stringify(world.secret("admission-tls"));

  expect((await end("cert inspect -f - -n other -o json", stdin)).report.findings).toMatchObject([
    { code: "CERT-SAN" },
  ]);
});
