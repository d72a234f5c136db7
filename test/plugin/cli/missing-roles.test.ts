/** Every end for want of a permission (4) prints the Roles to ask for, whatever was refused. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import { ApiError } from "../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { exampleSource } from "../../../plugin/simulator/example";
import { askForRoles } from "../../../plugin/kernel/permissions";
import { observe } from "../../../plugin/simulator/observed-cluster";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import type { Report } from "../../../plugin/kernel/report";
import { testTime } from "../../support/manual-clock";
import { typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";
import { makeWorld } from "../../support/world";
import { aModuleArchive } from "../../support/played-cluster-api";
import { aFolder } from "../../support/a-folder";

let folder = "";
beforeAll(() => {
  folder = aFolder("roles");
  writeRelease(folder, "8.0.2-2");
  writeFileSync(join(folder, "ca.pem"), "");
  writeFileSync(
    join(folder, "rg.zip"),
    aModuleArchive({ module_name: "rg", semantic_version: "1.2.3" }),
  );
});

const commands: readonly (readonly [title: string, words: () => readonly string[]])[] = [
  ["check", () => ["check", "--release", folder]],
  ["status", () => ["status"]],
  ["upgrade", () => ["upgrade", "--release", folder]],
  ["upgrade-operator", () => ["upgrade-operator", "--release", folder]],
  ["upgrade-webhook", () => ["upgrade-webhook"]],
  ["unbind-scc", () => ["unbind-scc"]],
  ["reapply-rbac", () => ["reapply-rbac", "--release", folder]],
  ["upgrade-cluster", () => ["upgrade-cluster", "ec", "--target", "8.0.2-17"]],
  [
    "upgrade-database",
    () => ["upgrade-database", "config", "--engine-version", "8.0", "--may-discard-data"],
  ],
  [
    "upgrade-database --via api",
    () => [
      ...["upgrade-database", "config", "--engine-version", "8.0", "--via", "api"],
      "--api-insecure",
    ],
  ],
  ["recover", () => ["recover"]],
  ["recover --apply", () => ["recover", "--apply"]],
  ["modules list", () => ["modules", "list", "--api-insecure"]],
  ["modules install", () => ["modules", "install", join(folder, "rg.zip"), "--api-insecure"]],
  [
    "modules define",
    () => ["modules", "define", "rg", "--source=rg=https://modules.example.com/rg.zip"],
  ],
  ["cert create", () => ["cert", "create"]],
  ["cert inspect", () => ["cert", "inspect"]],
];

/** They write nothing. */
const readers = ["check", "status", "recover", "modules list", "cert inspect"];

async function ended(words: readonly string[], cluster: KubeClient): Promise<Report> {
  const { out } = await typed([...words, "-n", "engine", "-o", "json", "--yes"], {
    connect: () => Promise.resolve(cluster),
    env: { ENGINE_HOME: join(folder, "home") },
  });
  return JSON.parse(out) as Report;
}

const printed = ({ permissions }: Report): readonly unknown[] =>
  parseDocuments(permissions?.manifest ?? "", "manifest");

test.each(commands)("%s by someone who may do nothing at all", async (_, words) => {
  const plane = makeWorld({ objects: (await exampleSource(names, testTime)).objects }).controlPlane;
  const user = { name: "jane", groups: ["system:authenticated"] };
  const before = plane.state;
  const report = await ended(words(), plane.connect({ user, namespace: "engine" }));
  expect(report.exit.code).toBe(4);
  expect(JSON.stringify(printed(report))).toContain('"name":"jane"');
  expect(plane.state).toBe(before);
});

/** What a Role of a whole upgrade is made of is more than others' roles hold. */
const most = (title: string): number => (title === "upgrade" ? 66 : 46);

test.each(commands.filter(([title]) => !readers.includes(title)))(
  "%s by someone who may do nothing says so once, above the Roles to apply",
  async (title, words) => {
    const plane = makeWorld({ objects: (await exampleSource(names, testTime)).objects });
    const user = { name: "jane", groups: ["system:authenticated"] };
    const { code, out } = await typed([...words(), "-n", "engine", "--yes"], {
      connect: () => Promise.resolve(plane.controlPlane.connect({ user, namespace: "engine" })),
      env: { ENGINE_HOME: join(folder, "home") },
    });
    expect(code).toBe(4);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toBe("All permissions are missing; ask for:");
    expect(lines).toContain("kind: Role");
    expect(lines.at(-1)).toBe(`Next: ${askForRoles}`);
    expect(lines.length).toBeLessThanOrEqual(most(title));
  },
);

/** Refuses one kind of request, as RBAC does: to act as well as to ask for. */
function refusing(cluster: KubeClient, refused: string, seen = new Set<string>()): KubeClient {
  return observe(
    Object.assign(Object.create(cluster) as KubeClient, {
      ...bound(cluster),
      can: ({ verb, resource, ...rest }: Parameters<KubeClient["can"]>[0]) =>
        `${verb} ${resource}` === refused
          ? Promise.resolve(false)
          : cluster.can({ verb, resource, ...rest }),
    }),
    async ({ verb, target }, send) => {
      const one = `${verb} ${target?.plural ?? ""}`;
      seen.add(one);
      if (one !== refused) return await send();
      throw new ApiError(`User "admin" cannot ${one}`, { status: 403 });
    },
  );
}

const methods = ["get", "list", "create", "update", "apply", "patch", "delete"] as const;
const asked = ["whoAmI", "version", "serves", "close", "watch"] as const;
const bound = (cluster: KubeClient): object =>
  Object.fromEntries([...methods, ...asked].map((key) => [key, cluster[key].bind(cluster)]));

// every part of the whole upgrade is a row of its own
const parts = commands.filter(([title]) => title !== "upgrade");
test.each(parts)("%s by someone who may not read one kind", async (_, words) => {
  const { objects } = await exampleSource(names, testTime);
  const connection = () => makeWorld({ objects }).connect();
  const run = (refused: string, seen?: Set<string>) =>
    ended([...words(), "--dry-run=server"], refusing(connection(), refused, seen));
  const seen = new Set<string>();
  await run("nothing", seen);
  const reads = [...seen].filter((one) => /^(get|list) \w/.test(one));
  expect(reads).not.toEqual([]);
  const silent: string[] = [];
  for (const one of reads) {
    const report = await run(one);
    const [, plural = ""] = one.split(" ");
    const isNamed = JSON.stringify(printed(report)).includes(`"${plural}"`);
    if (report.exit.code === 4 && !isNamed) silent.push(`${one}: ${report.exit.reason}`);
  }
  expect(silent).toEqual([]);
});
