/** `upgrade` where a NetworkPolicy keeps the API server from the webhook: no part opens it, so nothing begins. */
import { aPlayedWorld } from "../../../support/played-operator";
import { upgrade } from "../../../support/upgrade-runs";
import { worldOf } from "../../../support/upgrade-worlds";
import { peersOf } from "../../domain/admission/policy-rows";

const lettingIn = (name: string): object => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
const run = async (name: string): ReturnType<typeof upgrade> => {
  const { objects } = await worldOf([{ name: "a policy", more: [peersOf(lettingIn(name))] }]);
  return await upgrade(await aPlayedWorld({ objects }), ["--yes"]);
};

test("a policy of its own namespace alone: 3 before the first write, with the line that opens it", async () => {
  const { report, writes } = await run("engine");
  expect([report.exit.code, writes]).toEqual([3, []]);
  const errors = (report.findings ?? []).filter(({ severity }) => severity === "error");
  expect(errors).toMatchObject([
    {
      code: "WEBHOOK-NETWORK-POLICY",
      object: "NetworkPolicy/engine/guard",
      fix: expect.stringContaining(
        "kubectl patch networkpolicy guard --namespace=engine",
      ) as string,
    },
  ]);
});

test("a policy of kube-system is no reason to stop", async () => {
  const { report, writes } = await run("kube-system");
  expect(report.exit.code).toBe(0);
  expect(writes).not.toEqual([]);
});
