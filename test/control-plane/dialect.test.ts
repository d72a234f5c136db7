/** Files beside kubectl: what it makes of a text is what this tool makes of it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { splitDocuments } from "../../plugin/adapters/kubernetes/text/documents";
import { decodeText } from "../../plugin/adapters/kubernetes/text/encoding";
import { loadKubeconfig } from "../../plugin/adapters/kubernetes/kubeconfig";
import { aFolder } from "../support/a-folder";
import { findBinaries } from "./binaries";

const folder = aFolder("dialect");
const file = join(folder, "text");
let kubectl = "";

beforeAll(async () => {
  kubectl = (await findBinaries()).kubectl;
});

function printed(words: readonly string[]): unknown {
  const { status, stdout } = spawnSync(kubectl, [...words, "-o", "json"], { encoding: "utf8" });
  return status === 0 ? (JSON.parse(stdout) as unknown) : "refused";
}

const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");

describe("a manifest", () => {
  const values = [
    "{a: x, <<: {a: y, b: z}}",
    "{<<: {a: y, b: z}, a: x}",
    "{<<: [{a: x}, {a: y, b: z}]}",
    "{<<: {a: x}, <<: {a: y, b: z}}",
    '{"<<": x}',
    "{!!merge <<: {a: x}}",
    "{a: !vault x}",
    "{a: !vault 8.0}",
    "{a: !vault }",
    "{a: ! 8}",
    "{a: !!str 8.0}",
    "{a: <<}",
    "{a: 2026-01-02}",
    "{a: !!binary OC4w}",
    '{a: "é€"}',
    "&x {a: y}",
    "{on: x, 1: y, 0_7: z}",
  ];

  test.each(values)("with the data %s", (data) => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {l: x}}\ndata: ${data}\n`;
    for (const bytes of [Buffer.from(text), utf16(text), utf16(text).swap16()]) {
      writeFileSync(file, bytes);
      const [document] = splitDocuments(decodeText(bytes), "refused");
      const own = document && "value" in document ? document.value : "refused";
      expect(own).toEqual(printed(["label", "--local", "-f", file, "l=x"]));
    }
  });
});

describe("a kubeconfig", () => {
  const context = (fields: string): string => `contexts: [{name: r, context: {${fields}}}]\n`;
  const texts = [
    context("cluster: x, <<: {cluster: y, namespace: z}"),
    context("<<: {cluster: y, namespace: z}, cluster: x"),
    context("<<: [{cluster: x}, {cluster: y, namespace: z}]"),
    context("cluster: x, cluster: y"),
    context("cluster: !corp x"),
    context('cluster: x, "<<": {cluster: y}'),
    `# mine\n---\n${context("cluster: x")}---\n${context("cluster: y")}`,
    `${context("cluster: x")}---\n[`,
    `${context("cluster: x")}...\n[`,
    `---\n---\n${context("cluster: x")}`,
    `%YAML 1.1\n---\n${context("cluster: x")}`,
    '{"contexts": [{"name": "r", "context": {"cluster": "x", "cluster": "y"}}]}',
    '{"current-context": "r"}\n{"current-context": "s"}',
    `x: &x {cluster: y}\n${context("<<: *x")}`,
    context("<<: x"),
    "contexts: [",
    context("cluster: 7"),
    context("cluster: on"),
    "- a",
    "",
  ];

  interface Shown {
    readonly "current-context"?: string;
    readonly contexts?: readonly { readonly name: string; readonly context: object }[];
  }

  test.each(texts)("%j", (text) => {
    for (const bytes of [Buffer.from(text), utf16(text), utf16(text).swap16()]) {
      writeFileSync(file, bytes);
      expect(own()).toEqual(shown());
    }
  });

  function shown(): unknown {
    const view = printed(["config", "view", "--kubeconfig", file]);
    if (view === "refused") return view;
    const { "current-context": current = "", contexts } = view as Shown;
    const named = (contexts ?? []).map(({ name, context: fields }) => [name, known(fields)]);
    return { current, contexts: named };
  }

  function own(): unknown {
    try {
      const { currentContext: current = "", contexts } = loadKubeconfig(file, {});
      return { current, contexts: [...contexts] };
    } catch {
      return "refused";
    }
  }

  const known = (fields: object): object =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
});
