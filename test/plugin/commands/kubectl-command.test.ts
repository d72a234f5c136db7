import { kubectlCommand } from "../../../plugin/commands/kubectl-command";

test("a kubectl command goes to the cluster of the run, and to no namespace but its own", () => {
  const command = kubectlCommand({ contextArgs: ["--context=a b", "--namespace=engine"] });
  expect(command(["kubectl", "delete", "role", "x", "-n", "shop"])).toBe(
    "kubectl delete role x -n shop '--context=a b'",
  );
});
