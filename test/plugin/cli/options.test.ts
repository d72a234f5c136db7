import { defaultNames } from "../../../plugin/domain/names/names";
import { textIn } from "../../../plugin/domain/names/text";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCommand } from "../../../plugin/cmdutil/spec";
import { modulesList } from "../../../plugin/commands/modules/flags";
import { normalize } from "../../../plugin/cli/argv";
import { standardFlags } from "../../../plugin/cmdutil/standard-flags";
import { entries } from "../../../plugin/cli/commands";
import { environment } from "../../../plugin/cli/environment";
import { parse, choosePrefix, toGlobalOptions } from "../../../plugin/cli/tree";
import { FlagReader, nameVariable } from "../../../plugin/cmdutil/flags";

const week = 7 * 24 * 3_600_000;
const optionsOf = (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const { raw, problems } = parse(["version", ...argv], "kubectl engine");
  const judged = toGlobalOptions(raw, env);
  expect([...problems, ...judged.problems]).toEqual([]);
  return judged.options;
};

test("nothing given: the defaults", () => {
  expect(optionsOf([])).toEqual({
    dryRun: "none",
    yes: false,
    noInput: false,
    timeoutMs: 300_000,
    wait: false,
    output: "text",
    concurrency: undefined,
    color: "auto",
    quiet: false,
    debug: false,
    verbosity: 0,
    prefix: "kubectl engine",
    wide: false,
    connection: {},
    contextArgs: [],
  });
});

const everything = [
  "--kubeconfig=/k", "--context", "c", "--cluster=cl", "--user=u", "-s", "https://s", "--token=t",
  "--certificate-authority=/ca", "--client-certificate=/cc", "--client-key=/ck",
  "--tls-server-name=n", "--insecure-skip-tls-verify", "--as=a", "--as-uid=1",
  "--as-group=cn=x,dc=y", "--as-group", "h", "--request-timeout=30", "-n", "ns",
]; // prettier-ignore

test("kubectl's flags reach the connection, and printed commands repeat them but for the token", () => {
  const { connection, contextArgs, namespace } = optionsOf(everything);
  expect(namespace).toBe("ns");
  expect(connection).toEqual({
    kubeconfig: "/k",
    context: "c",
    cluster: "cl",
    user: "u",
    server: "https://s",
    token: "t",
    certificateAuthority: "/ca",
    clientCertificate: "/cc",
    clientKey: "/ck",
    tlsServerName: "n",
    insecureSkipTlsVerify: true,
    as: "a",
    asUid: "1",
    asGroup: ["cn=x,dc=y", "h"],
    requestTimeoutMs: 30_000,
    namespace: "ns",
  });
  expect(contextArgs.join(" ")).toBe(
    "--kubeconfig=/k --context=c --cluster=cl --user=u --server=https://s --certificate-authority=/ca " +
      "--client-certificate=/cc --client-key=/ck --tls-server-name=n --as=a --as-uid=1 " +
      "--as-group=cn=x,dc=y --as-group=h --namespace=ns --insecure-skip-tls-verify",
  );
});

test.each([
  ["a flag wins over its variable", ["-o", "yaml"], { ENGINE_OUTPUT: "json" }, { output: "yaml" }],
  ["a variable wins over the default", [], { ENGINE_OUTPUT: "json" }, { output: "json" }],
  ["a boolean variable set to false", [], { ENGINE_YES: "0" }, { yes: false }],
  ["a flag that takes it back", ["--yes=false"], { ENGINE_YES: "true" }, { yes: false }],
  ["--no-input", ["--no-input"], {}, { noInput: true }],
  ["--no-input=false", ["--no-input=false"], { ENGINE_NO_INPUT: "true" }, { noInput: false }],
  ["kubectl's -v=6", ["-v=6"], {}, { verbosity: 6 }],
  ["short flags in a group", ["-qv6"], {}, { quiet: true, verbosity: 6 }],
  ["no limit is a week", ["--timeout=0"], {}, { timeoutMs: week }],
  ["a month is a week", ["--timeout=720h"], {}, { timeoutMs: week }],
  ["a compound duration", ["--timeout=1m30s"], {}, { timeoutMs: 90_000 }],
  [
    "groups in a variable",
    [],
    { ENGINE_AS_GROUP: "a, b" },
    { contextArgs: ["--as-group=a", "--as-group=b"] },
  ],
])("%s", (...[, argv, env, expected]) => {
  expect(optionsOf(argv, env)).toMatchObject(expected);
});

test("every global flag has a variable of its own name, but those of a command have none", () => {
  expect(standardFlags.map(nameVariable)).toContain("ENGINE_REQUEST_TIMEOUT");
  const reader = new FlagReader({});
  expect(reader.on("take-template-rules")).toBe(false);
});

test("own flags are read and checked", () => {
  const { chosen } = parse(
    ["upgrade-webhook", "--take-fields", "a,b", "--take-fields=c", "--template", "-", "--no-probe",
      "--wait-secret=5s", "--take-template-rules"], // prettier-ignore
    "kubectl engine",
  );
  expect(chosen?.raw).toMatchObject({ takeFields: ["a,b", "c"], template: "-", probe: false });
  expect(new FlagReader(chosen?.raw ?? {}).list("take-fields")).toEqual(["a", "b", "c"]);
  expect(chosen?.entry.prepare(chosen.raw).problems).toEqual([]);
});

test.each(entries.map((entry) => [entry.path, entry] as const))(
  "%s can be loaded, and its examples are command lines that parse",
  async (_, entry) => {
    const loaded = await entry.prepare({}).load();
    expect(typeof loaded.run).toBe("function");
    for (const { line } of entry.examples) {
      const words = textIn(line, defaultNames).replace(/ >.*$/, "").split(" ");
      expect(parse(words, "kubectl engine")).toMatchObject({ chosen: { entry }, problems: [] });
    }
  },
);

describe("normalize", () => {
  test.each([
    ["a value that looks like a flag", ["--template", "-n"], ["--template=-n"]],
    ["words after --", ["a", "--", "-o=json"], ["a", "--", "-o=json"]],
    ["a lone dash", ["-"], ["-"]],
    ["an unknown flag", ["--zz", "-Z", "-Zx"], ["--zz", "-Z", "-Zx"]],
    ["a short boolean with a value", ["-q=false"], ["--no-quiet"]],
    ["a flag at the end", ["-n"], ["--namespace="]],
  ])("%s", (_, argv, expected) => {
    const flags = [...standardFlags, ...entries.flatMap((entry) => entry.flags)];
    expect(normalize(argv, flags)).toEqual(expected);
  });

  test("what follows -- is an argument", () => {
    const { chosen } = parse(["explain", "--", "--odd"], "kubectl engine");
    expect(chosen?.args).toEqual(["--odd"]);
    expect(parse(["explain", "-Z", "--", "--odd"], "kubectl engine").problems).toEqual([
      "unknown flag: -Z",
    ]);
  });
});

test.each([
  [undefined, "kubectl engine"],
  ["/usr/bin/kubectl", "kubectl engine"],
  ["/usr/local/bin/kubectl-engine", "kubectl engine"],
  ["/usr/local/bin/oc", "oc engine"],
  ["C:\\tools\\oc.exe", "oc engine"],
  ["/opt/doc", "kubectl engine"],
])("called by %s, it is %s", (caller, expected) => {
  expect(choosePrefix(caller === undefined ? {} : { _: caller })).toBe(expected);
});

test.each([
  "http://api.example.com",
  "api.example.com",
  "https://user@api.example.com",
  "https://:secret@api.example.com",
  "https://api.example.com/v1",
  "https://api.example.com?a=b",
  "https://api.example.com#a",
  "https://",
])("%s is not an address of the REST API, and is not repeated in the problem", (apiUrl) => {
  const read = new FlagReader({ apiUrl, apiCa: "ca.pem", apiInsecure: true });
  readCommand(modulesList, read);
  expect(read.problems).toEqual([
    expect.stringContaining("--api-url:"),
    expect.stringContaining("contradict"),
  ]);
  expect(read.problems.join()).not.toContain("secret");
});

test("every variable that the plugin reads is on the page of the environment", () => {
  const folder = join(__dirname, "../../../plugin");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const read = sources.flatMap((text) => [...text.matchAll(/\benv\["(\w+)"\]/g)]);
  const known = [...Object.keys(environment), ...standardFlags.map(nameVariable), "_"];
  expect(read.length).toBeGreaterThan(5);
  expect(read.flatMap(([, name = ""]) => (known.includes(name) ? [] : [name]))).toEqual([]);
});
