/**
 * A user who may do nothing applies what is printed with exit 4 once, and gets through: the Role is
 * complete, whatever was missing, and takes nothing away that an earlier one has given.
 */
import { parseDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import type { KubeObject } from "../../../plugin/ports/kubernetes";
import { starts, type Words } from "../../support/starts";
import { admin } from "../../support/world";
import { entries } from "../../../plugin/cli/commands";
import { typed } from "../../support/program-world";
import { persons, twice } from "../../support/persons";
import {
  begin,
  grant,
  jane,
  namespace,
  rolesIn,
  type Row,
  run,
  world,
} from "../../support/role-runs";

const more: Readonly<Record<string, Row>> = {
  check: { words: () => ["check"] },
  "check --release": { words: ({ release }) => ["check", "--release", release] },
  status: { words: () => ["status"] },
  "status --no-probe": { words: () => ["status", "--no-probe"] },
  "status -A": { words: () => ["status", "--all-namespaces"] },
  audit: { words: () => ["audit"] },
  "modules define": {
    words: () => ["modules", "define", "rg", "--source=rg=https://modules.example/rg.zip"],
  },
  "cert inspect": { words: () => ["cert", "inspect"] },
  recover: { words: () => ["recover"] },
  "recover --apply": { words: () => ["recover", "--apply"] },
  "upgrade-database --all": {
    words: () => [
      "upgrade-database",
      "--all",
      "--engine-version",
      "8.0",
      "-A",
      "--may-discard-data",
    ],
    before: starts["upgrade-database"].before,
  },
  "reapply-rbac --namespaces": {
    words: ({ release }) => ["reapply-rbac", "--release", release, "--namespaces", "shop"],
  },
  "reapply-rbac --prune": {
    words: ({ release }) => ["reapply-rbac", "--release", release, "--prune"],
  },
  "upgrade-operator --image-registry": {
    words: ({ release }) => [
      ...["upgrade-operator", "--release", release],
      ...["--image-registry", "registry.example.com"],
    ],
    before: starts["upgrade-operator"].before,
  },
  "upgrade --only webhook,rbac,scc": {
    words: ({ release }) => [
      ...["upgrade", "--release", release, "--no-probe"],
      ...["--only", "webhook,rbac,scc"],
    ],
  },
  "diff upgrade-cluster": {
    words: () => ["diff", "upgrade-cluster", "ec", "--target", "8.0.2-17"],
    before: starts["upgrade-cluster"].before,
  },
};

const rows = Object.entries<Row>({ ...starts, ...more, ...persons });
const aPlace = { release: "release" } as Parameters<Words>[0];
const isOf = (words: readonly string[], path: string): boolean =>
  `${words.join(" ")} `.startsWith(`${path} `);

test.each(rows)("%s: applied once, a user with nothing else gets through", async (_title, row) => {
  const [asAdmin, adminClock] = await begin(row);
  const wanted = await run(asAdmin, adminClock, { ...row, user: admin });
  const [plane, clock] = await begin(row);
  const before = plane.state;

  const refused = await run(plane, clock, row);
  expect(refused.exit.code).toBe(4);
  expect(plane.state).toBe(before);
  await grant(plane, rolesIn(refused));
  const { exit, permissions } = await run(plane, clock, row);

  expect([exit.code, exit.reason, permissions?.missing]).toEqual([
    ...[wanted.exit.code, wanted.exit.reason, undefined],
  ]);
});

const writing = rows.filter(([, { words }]) =>
  entries.some(({ path, writes }) => writes === true && isOf(words(aPlace), path)),
);

test.each(writing)(
  "%s: --print-role asks no cluster and prints what gets it through",
  async (_title, row) => {
    const [asAdmin, adminClock] = await begin(row);
    const wanted = await run(asAdmin, adminClock, { ...row, user: admin });
    const argv = [...row.words(world.place), "-n", namespace, "--print-role", "--as", jane.name];
    const printed = await typed(argv);
    expect([printed.code, printed.err]).toEqual([
      0,
      expect.not.stringContaining("no cluster here"),
    ]);

    const [plane, clock] = await begin(row);
    await grant(plane, parseDocuments(printed.out, "role") as unknown as readonly KubeObject[]);
    const { exit, permissions } = await run(plane, clock, row);

    expect([exit.code, exit.reason, permissions?.missing]).toEqual([
      ...[wanted.exit.code, wanted.exit.reason, undefined],
    ]);
  },
);

test.each(Object.entries(twice))("%s: a second Role is complete", async (_title, row) => {
  const [asAdmin, adminClock] = await begin(row);
  const wanted = await run(asAdmin, adminClock, { ...row, user: admin });
  const [plane, clock] = await begin(row);
  await grant(plane, rolesIn(await run(plane, clock, row)));
  const before = plane.state;

  const refused = await run(plane, clock, row);
  expect([refused.exit.code, plane.state === before]).toEqual([4, true]);
  await grant(plane, rolesIn(refused));
  const { exit } = await run(plane, clock, row);

  expect([exit.code, exit.reason]).toEqual([wanted.exit.code, wanted.exit.reason]);
});
