/**
 * The processor time that `validate` takes for ten thousand databases, in each form that they may be
 * written in, by turns with kubeconform, which checks the same files against schemas, and with conftest,
 * which is given the same rules as Rego. Run after `npm run build`; exit code 1 where a form takes more
 * than twice the time of documents, where documents take too long, or where two judge differently.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { findProgram } from "../control-plane/binaries";
import { showGoals, spread, table } from "./admission/table";

const count = 10_000;
const rounds = 3;
const limitSeconds = 5;
const mostTimes = 2;
const executable = join(__dirname, "../../dist/kubectl-engine");

const cluster = `apiVersion: app.engine.com/v1
kind: EngineEnterpriseCluster
metadata: {name: ec, namespace: engine}
spec: {nodes: 3, engineUpgradePolicy: major, userDefinedModules: [{name: own}]}
`;

/** As Helm writes them; every tenth is refused, every hundredth for a module as well. */
const database = (at: number): object => ({
  apiVersion: "app.engine.com/v1alpha1",
  kind: "EngineEnterpriseDatabase",
  metadata: {
    name: `db-${at}`,
    namespace: `shop-${at % 100}`,
    labels: { "app.kubernetes.io/name": "shop", "app.kubernetes.io/managed-by": "Helm" },
  },
  spec: {
    engineEnterpriseCluster: { name: "ec" },
    memorySize: "100MB",
    replication: true,
    persistence: "aofEverySecond",
    engineVersion: at % 10 === 0 ? "9.9" : "7.2",
    modulesList: [{ name: at % 100 === 0 ? "nobodys" : "own", version: "2.8.4" }],
  },
});

interface Took {
  /** Of the processor, in the program and for it. */
  readonly seconds: number;
  readonly out: string;
}

/** The shell is what tells the processor time of a program that has ended. */
function timed(program: string, ...args: readonly string[]): Took {
  const { stdout, stderr } = spawnSync(
    "/bin/sh",
    ["-c", '"$@" 2>/dev/null; times >&2', "sh", program, ...args],
    { encoding: "utf8", maxBuffer: 2 ** 30 },
  );
  const [, ofChildren = ""] = stderr.trim().split("\n").slice(-2);
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes = "0", rest = "0"]) => sum + 60 * Number(minutes) + Number(rest),
    0,
  );
  return { seconds, out: stdout };
}

/** What kubeconform checks by: the schemas of the definitions, under the names of their kinds. */
function writeSchemas(folder: string): string {
  mkdirSync(folder);
  for (const name of ["engine_enterprise_cluster", "engine_enterprise_database"]) {
    const file = join(__dirname, `../../manifests/crds/${name}.yaml`);
    const { spec } = load(readFileSync(file, "utf8")) as {
      readonly spec: {
        readonly names: { readonly kind: string };
        readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[];
      };
    };
    const schema = spec.versions[0]?.schema.openAPIV3Schema;
    writeFileSync(join(folder, `${spec.names.kind.toLowerCase()}.json`), JSON.stringify(schema));
  }
  return join(folder, "{{.ResourceKind}}.json");
}

function writeForms(folder: string): Readonly<Record<string, string>> {
  const all = Array.from({ length: count }, (_, at) => database(at));
  const list = { apiVersion: "v1", kind: "List", items: all };
  const written = {
    documents: ["documents.yaml", all.map((each) => dump(each)).join("---\n")],
    "a List": ["list.yaml", dump(list)],
    "a List in JSON": ["list.json", JSON.stringify(list, null, 4)],
    "JSON after JSON": ["stream.json", all.map((each) => JSON.stringify(each)).join("\n")],
  } as const;
  return Object.fromEntries(
    Object.entries(written).map(([form, [name, text]]) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      return [form, file];
    }),
  );
}

const refusalsIn = ({ out }: Took): number =>
  (JSON.parse(out) as { findings: readonly unknown[] }).findings.length;
const failuresIn = ({ out }: Took): number =>
  (JSON.parse(out) as { failures?: readonly unknown[] }[]).reduce(
    (sum, { failures = [] }) => sum + failures.length,
    0,
  );
const checkedIn = ({ out }: Took): string => /Summary: (\d+) resources/.exec(out)?.[1] ?? "none";

interface Row {
  readonly program: string;
  readonly form: string;
  readonly run: () => Took;
  readonly says: (took: Took) => string;
  readonly took: Took[];
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "validate-"));
  const [kubeconform, conftest] = [await findProgram("kubeconform"), await findProgram("conftest")];
  const ec = join(folder, "ec.yaml");
  writeFileSync(ec, cluster);
  const forms = writeForms(folder);
  const schemas = writeSchemas(join(folder, "schemas"));
  const ours = (...words: readonly string[]): Took =>
    timed(process.execPath, executable, "validate", "-f", ec, "-o", "json", ...words);
  const rows = Object.entries(forms).flatMap(([form, file]): readonly Row[] => [
    {
      ...{ program: "kubectl engine validate", form, took: [] },
      run: () => ours("-f", file),
      says: (took) => `${refusalsIn(took)} refusals`,
    },
    {
      ...{ program: "kubectl engine validate", form: `${form}, and --old the same`, took: [] },
      run: () => ours("-f", file, `--old=${file}`),
      says: (took) => `${refusalsIn(took)} refusals`,
    },
    {
      ...{ program: "kubeconform", form, took: [] },
      run: () => timed(kubeconform, "-schema-location", schemas, "-summary", ec, file),
      says: (took) => `${checkedIn(took)} checked`,
    },
  ]);
  const all = join(folder, "all.yaml");
  writeFileSync(
    all,
    [ec, forms["documents"] ?? ""].map((file) => readFileSync(file)).join("---\n"),
  );
  const policy = `--policy=${join(__dirname, "rules")}`;
  rows.push({
    ...{ program: "conftest", form: "documents", took: [] },
    run: () => timed(conftest, "test", "--combine", "--output=json", policy, all),
    says: (took) => `${failuresIn(took)} refusals`,
  });
  for (let round = 0; round < rounds; round += 1) for (const row of rows) row.took.push(row.run());
  rmSync(folder, { recursive: true });
  report(rows);
}

const secondsOf = ({ took }: Row): readonly number[] => took.map(({ seconds }) => seconds);
const median = (row: Row): number => [...secondsOf(row)].sort((a, b) => a - b)[rounds >> 1] ?? 0;

function report(rows: readonly Row[]): void {
  console.log(`${count} databases in one file, ${rounds} rounds by turns: median (least–most)\n`);
  const lines = rows.map((row) => {
    const [first] = row.took;
    const said = first === undefined ? "" : row.says(first);
    return [row.program, row.form, spread(secondsOf(row), 2), said];
  });
  console.log(`${table(["program", "form", "processor seconds", "result"], lines)}\n`);
  const ours = rows.filter(({ program }) => program.startsWith("kubectl"));
  const judged = rows.filter(
    ({ program, form }) => program !== "kubeconform" && form === "documents",
  );
  const goals = [false, true].flatMap((isOld) => {
    const same = ours.filter(({ form }) => form.endsWith("the same") === isOld);
    const [documents, ...others] = same.map(median);
    const results = new Set(same.flatMap(({ took, says }) => took.map((one) => says(one))));
    const how = isOld ? "with --old" : "alone";
    return [
      {
        text: `documents ${how} in less than ${limitSeconds} s`,
        met: (documents ?? Infinity) < limitSeconds,
      },
      {
        text: `each form ${how} in at most ${mostTimes} × the time of documents`,
        met: others.every((seconds) => seconds <= mostTimes * (documents ?? 0)),
      },
      { text: `each form ${how} is judged alike`, met: results.size === 1 },
    ];
  });
  const said = new Set(judged.flatMap(({ took, says }) => took.map((one) => says(one))));
  goals.push({ text: "conftest refuses the same documents", met: said.size === 1 });
  console.log(showGoals(goals));
  if (goals.some(({ met }) => !met)) process.exitCode = 1;
}

void main();
