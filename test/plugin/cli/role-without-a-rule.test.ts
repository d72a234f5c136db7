/**
 * Of a printed Role each rule is taken out by itself: the run then ends with 4 and names it before its first write,
 * or did not need it on this cluster.
 */
import { parseDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import { asArray, getOwn } from "../../../plugin/domain/base/values";
import type { Report } from "../../../plugin/kernel/report";
import type { KubeObject } from "../../../plugin/ports/kubernetes";
import { persons } from "../../support/persons";
import { typed } from "../../support/program-world";
import { begin, grant, jane, namespace, type Row, run, world } from "../../support/role-runs";
import { starts } from "../../support/starts";
import { sampled } from "../../support/sampled";

const rows: Readonly<Record<string, Row>> = { ...starts, ...persons };

async function printed({ words }: Row): Promise<readonly KubeObject[]> {
  const argv = [...words(world.place), "-n", namespace, "--print-role", "--as", jane.name];
  const { out } = await typed(argv);
  return parseDocuments(out, "role") as unknown as readonly KubeObject[];
}

/** The Role, and what it lacks: one verb of one rule. */
interface Without {
  readonly roles: readonly KubeObject[];
  readonly verb: string;
  readonly resources: readonly string[];
}

function eachWithout(roles: readonly KubeObject[]): readonly Without[] {
  return roles.flatMap((role, at) =>
    asArray(role["rules"]).flatMap((rule, index) =>
      asArray(getOwn(rule, "verbs"))
        .map(String)
        .map((verb): Without => {
          const rules = asArray(role["rules"]).flatMap((one, other) => {
            if (other !== index) return [one as object];
            const verbs = asArray(getOwn(one, "verbs")).filter((each) => each !== verb);
            return verbs.length === 0 ? [] : [{ ...(one as object), verbs }];
          });
          const resources = asArray(getOwn(rule, "resources")).map(String);
          return { roles: roles.with(at, { ...role, rules }), verb, resources };
        }),
    ),
  );
}

/** What is wrong with the end of a run without it, where it ends with `whole` with all of them. */
async function judge(row: Row, without: Without, whole: number): Promise<string | undefined> {
  const { roles, verb, resources } = without;
  const [plane, clock] = await begin(row);
  await grant(plane, roles);
  const before = plane.state;
  const { exit, permissions } = await run(plane, clock, row);
  const what = `${verb} ${resources.join(",")}`;
  if (exit.code === whole) return undefined;
  // each namespace has a result of its own, and those that may be written are
  const isPartial = exit.code === 6;
  if (exit.code !== 4 && !isPartial) return `${what}: ended with ${exit.code}, ${exit.reason}`;
  if (!isPartial && plane.state !== before) return `${what}: something was written before 4`;
  return isNamed(permissions, without)
    ? undefined
    : `${what}: ${exit.code} names ${(permissions?.missing ?? []).join("; ")}`;
}

/** Whether it is named, or what would do in its place. */
function isNamed(permissions: Report["permissions"], { verb, resources }: Without): boolean {
  const { missing = [], manifest = "" } = permissions ?? {};
  const plurals = resources.map((resource) => resource.split("/")[0] ?? "");
  // who may not ask about the whole cluster may ask in the namespace
  const others = plurals.includes("subjectaccessreviews") ? ["localsubjectaccessreviews"] : [];
  // an API server does not say which of the two it wants to see, nor that holding all that is given would do
  const isGiven = ["bind", "escalate"].includes(verb) && new RegExp(`\\b${verb}\\b`).test(manifest);
  const isOne = [...plurals, ...others].some((plural) =>
    missing.some((line) => line.startsWith(`${verb} ${plural}`)),
  );
  return isOne || isGiven;
}

test.each(Object.entries(rows))("%s", async (_title, row) => {
  const roles = await printed(row);
  const [plane, clock] = await begin(row);
  await grant(plane, roles);
  const { exit } = await run(plane, clock, row);
  const found: (string | undefined)[] = [];
  for (const without of sampled(eachWithout(roles)))
    found.push(await judge(row, without, exit.code));
  expect(found.filter((one) => one !== undefined)).toEqual([]);
});
