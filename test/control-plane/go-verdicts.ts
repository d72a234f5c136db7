/** Asks Go's crypto/tls about the cases: a program that is built when it is needed. */
import { join } from "node:path";
import { host, pemOf } from "../support/certificate-der";
import { type CertificateCase } from "./certificate-cases";
import type { GoVerdict } from "../support/go-verdicts";
import { run } from "./run";

/** When everything is judged: the certificates are valid then. */
export const judgedAt = "2026-06-15T12:00:00Z";

/** The defaults of Go 1.23 in a later Go. */
const asGo123 = "rsa1024min=0,x509usepolicies=0,tlssha1=1";

/** The verdicts, with the version of Go that gave them. */
export async function askGo(
  cases: readonly CertificateCase[],
  folder: string,
): Promise<{ readonly go: string; readonly rows: readonly GoVerdict[] }> {
  const program = join(folder, "verdicts");
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" };
  const cwd = join(__dirname, "tools", "verdicts");
  await expectDone("go", ["build", "-o", program, "."], { cwd, env });
  const input = JSON.stringify(cases.map(inputOf));
  const told = async (GODEBUG: string) =>
    JSON.parse(await expectDone(program, [], { env: { GODEBUG }, input })) as {
      readonly go: string;
      readonly verdicts: readonly string[];
    };
  const [newest, oldest] = [await told(""), await told(asGo123)];
  const rows = cases.map(({ title, served, bundle }, index) => {
    const [go = "", go123 = ""] = [newest.verdicts[index], oldest.verdicts[index]];
    return {
      ...{ title, served: served.map(pemOf).join("") },
      ...(bundle !== undefined && { bundle: bundle.map(pemOf).join("") }),
      ...{ go, ...(go !== go123 && { go123 }) },
    };
  });
  return { go: newest.go, rows };
}

function inputOf({ served, bundle, key }: CertificateCase) {
  return {
    ...{ served: served.map(pemOf).join(""), bundle: (bundle ?? served).map(pemOf).join("") },
    key: key.privateKey.export({ type: "pkcs8", format: "pem" }),
    ...{ name: host, now: judgedAt },
  };
}

async function expectDone(
  command: string,
  args: readonly string[],
  options: Parameters<typeof run>[2],
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${stderr}`);
  return stdout;
}
