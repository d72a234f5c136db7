/** The order of homes on Windows is client-go's: kubectl, helm and this tool read the same kubeconfig. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "../../../plugin/adapters/home";
import { loadKubeconfig } from "../../../plugin/adapters/kubernetes/kubeconfig";
import { findUserHome } from "../../../plugin/adapters/user-home";
import { aFolder } from "../../support/a-folder";

type Variable = "HOME" | "HOMEDRIVE" | "USERPROFILE";
type State = "config" | "folder" | "closed" | "file" | "absent";

/** The three places of Windows in these states. */
function environmentOf(states: Partial<Record<Variable, State>>): NodeJS.ProcessEnv {
  const folder = aFolder("homes");
  const env: NodeJS.ProcessEnv = {};
  for (const [variable, state] of Object.entries(states)) {
    const path = join(folder, variable);
    if (state === "file") writeFileSync(path, "");
    else if (state !== "absent") mkdirSync(path);
    if (state === "closed") chmodSync(path, 0o555);
    if (state === "config") {
      mkdirSync(join(path, ".kube"));
      writeFileSync(join(path, ".kube", "config"), "{}");
    }
    env[variable] = variable === "HOMEDRIVE" ? folder : path;
    if (variable === "HOMEDRIVE") env["HOMEPATH"] = `/${variable}`;
  }
  return env;
}

test.each<[Partial<Record<Variable, State>>, Variable | undefined]>([
  [{ HOME: "config", HOMEDRIVE: "config", USERPROFILE: "config" }, "HOME"],
  [{ HOME: "folder", HOMEDRIVE: "config", USERPROFILE: "config" }, "HOMEDRIVE"],
  [{ HOME: "folder", HOMEDRIVE: "folder", USERPROFILE: "config" }, "USERPROFILE"],
  [{ HOME: "folder", HOMEDRIVE: "folder", USERPROFILE: "folder" }, "HOME"],
  [{ HOMEDRIVE: "folder", USERPROFILE: "folder" }, "USERPROFILE"],
  [{ HOME: "absent", HOMEDRIVE: "folder", USERPROFILE: "closed" }, "HOMEDRIVE"],
  [{ HOME: "file", HOMEDRIVE: "absent", USERPROFILE: "folder" }, "USERPROFILE"],
  [{ HOME: "absent", HOMEDRIVE: "closed", USERPROFILE: "closed" }, "USERPROFILE"],
  [{ HOME: "absent", HOMEDRIVE: "closed" }, "HOMEDRIVE"],
  [{ HOMEDRIVE: "absent", USERPROFILE: "absent" }, "USERPROFILE"],
  [{}, undefined],
])("of %j Windows has %s", (states, expected) => {
  const env = environmentOf(states);
  const path = findUserHome(env, "win32");
  const found = (["HOME", "HOMEDRIVE", "USERPROFILE"] as const).find((one) =>
    path?.endsWith(`/${one}`),
  );
  expect(found).toBe(expected);
  expect(path === undefined).toBe(expected === undefined);
});

test.each([
  [{ HOMEDRIVE: "C:" }, undefined],
  [{ HOMEPATH: "\\x" }, undefined],
  [{ HOMEDRIVE: "", HOMEPATH: "\\x", HOME: "" }, undefined],
  [{ HOMEDRIVE: "C:", HOMEPATH: "\\x" }, "C:\\x"],
])("a drive without a path is no home: %j", (env, expected) => {
  expect(findUserHome(env, "win32")).toBe(expected);
});

test("elsewhere HOME alone counts, for the kubeconfig and for the records of runs", () => {
  const env = environmentOf({ HOME: "folder", HOMEDRIVE: "config", USERPROFILE: "config" });
  const { HOME: home = "" } = env;
  expect(findUserHome(env, "linux")).toBe(home);
  expect(findUserHome({ ...env, HOME: "" }, "linux")).toBeUndefined();
  expect(openHome(env).path).toBe(join(home, ".kube", "engine"));
  expect(loadKubeconfig(undefined, env).files).toEqual([join(home, ".kube", "config")]);
  expect(loadKubeconfig(undefined, { ...env, HOME: "" }).files).toEqual([]);
});
