import { join } from "node:path";
import { readableRoots, systemRoots } from "../../../../plugin/adapters/http/trust";
import { certify } from "../../../support/tls";
import { temporaryFolder } from "../../../support/api-server-kubeconfigs";

const [one, two] = ["one", "two"].map((commonName) => certify({ commonName }).cert.trim());
const bad = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
const told = (text: string): readonly [string | undefined, readonly string[]] => {
  const warnings: string[] = [];
  const roots = readableRoots(text, "FILE", (warning) => warnings.push(warning));
  return [roots?.replaceAll(/\s/g, ""), warnings];
};
const joined = (...pems: readonly (string | undefined)[]): string =>
  pems.join("\n").replaceAll(/\s/g, "");

test.each<[string, string, readonly [string | undefined, readonly string[]]]>([
  ["whole", `# mine\n${one ?? ""}\n${two ?? ""}\n`, [joined(one, two), []]],
  [
    "with one that cannot be read",
    [one, bad, two].join("\n"),
    [joined(one, two), ["FILE: certificate 2 of 3 cannot be read and is not trusted"]],
  ],
  ["with none that can be read", bad, [undefined, []]],
  ["with none", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", [undefined, []]],
])("a bundle %s", (_, text, expected) => {
  expect(told(text)).toEqual(expected);
});

test("the roots of this machine are those of SSL_CERT_FILE, and NODE_EXTRA_CA_CERTS beside them", () => {
  const folder = temporaryFolder();
  folder.write("one", one);
  folder.write("two", two);
  const env = {
    SSL_CERT_FILE: join(folder.dir, "one"),
    NODE_EXTRA_CA_CERTS: join(folder.dir, "two"),
  };
  expect(systemRoots(env)?.replaceAll(/\s/g, "")).toBe(joined(one, two));
  expect(systemRoots({ ...env, NODE_EXTRA_CA_CERTS: "" })?.replaceAll(/\s/g, "")).toBe(joined(one));
  expect(systemRoots({ SSL_CERT_FILE: join(folder.dir, "none") })).toBeUndefined();
  folder.remove();
});
