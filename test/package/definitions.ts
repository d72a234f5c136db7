/** Definitions of the monitoring and certificate kinds, from those projects' own modules. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../control-plane/pins";
import { run } from "../control-plane/run";

const moduleDir = join(repositoryRoot, "test/control-plane/tools/definitions");

const wanted: Readonly<Record<string, readonly string[]>> = {
  "github.com/prometheus-operator/prometheus-operator": [
    ...["podmonitors", "prometheusrules", "servicemonitors"].map(
      (plural) => `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    ),
  ],
  "github.com/cert-manager/cert-manager": ["deploy/crds/cert-manager.io_certificates.yaml"],
};

/** The files, downloaded where Go has not got them; Go refuses what go.sum does not know. */
export async function definitionFiles(): Promise<readonly string[]> {
  const pins = readFileSync(join(moduleDir, "go.mod"), "utf8");
  const files = Object.entries(wanted).map(async ([path, names]) => {
    const version = new RegExp(`${path} (v\\S+)`).exec(pins)?.[1] ?? "";
    const folder = await folderOf(path, version);
    return names.map((name) => join(folder, name));
  });
  return (await Promise.all(files)).flat();
}

async function folderOf(path: string, version: string): Promise<string> {
  const env = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=readonly" };
  const args = ["mod", "download", "-json", `${path}@${version}`];
  const { code, stdout, stderr } = await run("go", args, { cwd: moduleDir, env });
  if (code !== 0) throw new Error(`${path} ${version} cannot be had: ${stderr}${stdout}`);
  const { Dir, Sum } = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  const pinned = readFileSync(join(moduleDir, "go.sum"), "utf8").split("\n");
  // Go takes a module that go.sum does not list at all
  if (!pinned.includes(`${path} ${version} ${Sum}`)) {
    throw new Error(`${path} ${version} is not the one of go.sum`);
  }
  return Dir;
}
