import { readFileSync } from "node:fs";
import { join } from "node:path";
import { optionsText } from "../../../plugin/commands/options";
import { typed } from "../../support/program-world";

test("options prints every global flag with its variable", async () => {
  const { code, out } = await typed(["options"]);
  expect(code).toBe(0);
  expect(out).toBe(readFileSync(join(__dirname, "../../golden/options.txt"), "utf8"));
});

test("the flags of the contract are all there", async () => {
  const { out } = await typed(["options"]);
  const contract = `kubeconfig context cluster user server token certificate-authority
    client-certificate client-key tls-server-name insecure-skip-tls-verify as as-uid as-group
    request-timeout namespace output dry-run yes no-input timeout wait concurrency field-manager
    color quiet v debug`;
  for (const name of contract.split(/\s+/)) expect(out).toMatch(new RegExp(`--${name}(=|\\n)`));
});

test("a flag without parts leaves its place empty", () => {
  const exit = { code: 0, reason: "x" } as const;
  const details = { connection: [{}] };
  const report = { apiVersion: "cli.engine.com/v1", kind: "Options", details, exit } as const;
  expect(optionsText(report)).toContain("Connection");
});
