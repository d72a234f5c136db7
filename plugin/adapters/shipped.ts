/**
 * The manifests that the tool ships. The bundle carries their texts: .ci/bundle.ts puts what these functions
 * give in the place of this module, since the executable runs without the repository.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What all documents have, the names of their kinds, and the details of each kind that has some. */
export interface DocumentsSchema {
  readonly allOf: readonly [
    report: object,
    kinds: { readonly properties: { readonly kind: { readonly enum: readonly string[] } } },
    ...byKind: readonly { readonly if: ForKind; readonly then: object }[],
  ];
  readonly definitions: Readonly<Record<string, object>>;
}

interface ForKind {
  readonly properties: { readonly kind: { readonly const: string } };
}

type Texts = Readonly<Record<string, string>>;

function readTexts(folder: string): Texts {
  const path = join(__dirname, "../..", folder);
  const files = readdirSync(path).filter((name) => name.endsWith(".yaml"));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(path, name), "utf8")]));
}

/** The webhook template (S26). */
export const readShippedTemplate = (): string =>
  readTexts("manifests/admission")["webhook.yaml"] ?? "";

/** The definitions of the product's kinds, by file, for a cluster in memory. */
export const readShippedCrds = (): Texts => readTexts("manifests/crds");

/** Roles and bindings, by file (S34). */
export const readShippedRbac = (): Texts => readTexts("manifests/rbac");

/** The statements that findings, steps and messages cite by their numbers. */
export const readShippedSpecification = (): string =>
  readFileSync(join(__dirname, "../../docs/specification.md"), "utf8");

/** Pages that findings send people to, under the names that `explain` takes: `guides/webhook-swap`. */
export const readShippedGuides = (): Texts => {
  const names = ["advisories", "bypass", "gitops", "webhook-swap", "webhook-unreachable"];
  return Object.fromEntries(
    names.map((name) => [
      `guides/${name}`,
      readFileSync(join(__dirname, "../../docs/guides", `${name}.md`), "utf8"),
    ]),
  );
};

/** The JSON schema of every document (cli contract, Output). */
export const readShippedSchema = (): DocumentsSchema =>
  JSON.parse(
    readFileSync(join(__dirname, "../../docs/reference/documents.schema.json"), "utf8"),
  ) as DocumentsSchema;
