/** What a program is made of, as a CycloneDX document: the packages in its bundle, and node. */
import { version } from "../../package.json";
import type { Bundled, ProgramName } from "../bundle";
import { nodeVersion, platforms } from "./nodes";
import pins from "./nodes.json";

const npm = (name: string, of: string): string => `pkg:npm/${name.replace("@", "%40")}@${of}`;

/** The document, with the same bytes for the same packages: it has no time and no number. */
export function sbomOf(program: ProgramName, packages: readonly Bundled[]): string {
  const libraries = packages.map(({ name, version: of, license }) => {
    const purl = npm(name, of);
    const licenses = license === undefined ? [] : [{ expression: license }];
    return { type: "library", "bom-ref": purl, name, version: of, purl, licenses };
  });
  const nodes = platforms.map(({ node, os, arch }) => {
    const [name = ""] = node.split("@");
    const purl = npm(name, nodeVersion);
    const content = Buffer.from(pins[node].replace("sha512-", ""), "base64").toString("hex");
    return {
      type: "platform",
      "bom-ref": purl,
      ...{ name: "node", version: nodeVersion, purl, licenses: [{ expression: "MIT" }] },
      description: `Node.js, within the executable for ${os}/${arch}`,
      hashes: [{ alg: "SHA-512", content }],
    };
  });
  const components = [...libraries, ...nodes];
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": program,
        ...{
          name: program,
          version,
          purl: npm("kubectl-engine", version),
          licenses: [{ expression: "Apache-2.0" }],
        },
      },
    },
    components,
    dependencies: [{ ref: program, dependsOn: components.map((part) => part["bom-ref"]) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
