/** Volumes that are being expanded: nothing of the EC that concerns its StatefulSet is written meanwhile. */
import { objectLabel, type KubeObject } from "../../../../plugin/domain/kube/objects";
import { withValue } from "../../../../plugin/domain/base/values";
import { aClaim } from "../../../support/claims";
import { type Edit, RehearsedExample } from "../../../support/rehearsed-example";
import { aWebhookProgram } from "../../../support/webhook-program";

const program = aWebhookProgram();
let made: RehearsedExample | undefined;
const example = (): RehearsedExample => (made ??= new RehearsedExample(program));

const ec = "EngineEnterpriseCluster/engine/ec";
const set = "StatefulSet/engine/ec";

/** The EC with volumes of this size, that are expanded where they are smaller. */
const wanting =
  (volumeSize: string | number): Edit =>
  (object) => {
    if (objectLabel(object) !== ec) return object;
    const persistentSpec = { enabled: true, volumeSize, enablePersistentVolumeResize: true };
    return withValue(object, ["spec", "persistentSpec"], persistentSpec) as unknown as KubeObject;
  };

const pending = aClaim("engine-enterprise-storage-ec-1", {
  request: "60Gi",
  capacity: "40Gi",
  conditions: { FileSystemResizePending: undefined },
});
const notBegun = aClaim("engine-enterprise-storage-ec-2", { request: "40Gi", capacity: "40Gi" });
const done = aClaim("engine-enterprise-storage-ec-0", { request: "60Gi", capacity: "61440Mi" });
const names = ["check", "upgrade", "upgrade-operator", "upgrade-cluster"];

test.each(names)("%s ends with 3 before the write, and names each claim", async (name) => {
  const more = [done, pending, notBegun];
  const { code, errors, written } = await example().run(name, wanting("60Gi"), more);
  expect([code, written]).toEqual([3, []]);
  const found = errors.find((one) => one.code === "CLUSTER-RESIZING");
  expect(found).toMatchObject({ object: ec });
  expect(found?.cause).toContain(
    "PersistentVolumeClaim/engine/engine-enterprise-storage-ec-1 asks for 60Gi, has 40Gi, and its EC wants 60Gi (FileSystemResizePending)",
  );
  expect(found?.cause).toContain(
    "engine-enterprise-storage-ec-2 asks for 40Gi, has 40Gi, and its EC wants 60Gi (not begun)",
  );
  expect(found?.cause).not.toContain("storage-ec-0");
});

test.each(["upgrade", "upgrade-operator"])(
  "%s --wait waits for it before the first write, and gives up in the end: 124",
  async (name) => {
    const line = [...(example().lines[name] ?? []), "--wait", "--timeout=1m"].join(" ");
    const { code, written } = await example().run(line, wanting("60Gi"), [pending]);
    expect([code, written]).toEqual([124, []]);
  },
);

test.each([["60Gi"], ["61440Mi"], [64424509440]])(
  "claims that have the size are nothing to tell, however %j is spelled",
  async (size) => {
    const { errors } = await example().run("check", wanting(size), [done]);
    expect(errors.map(({ code }) => code)).not.toContain("CLUSTER-RESIZING");
  },
);

test.each(["status", "recover"])("%s gives it as what goes on, and stays 0", async (name) => {
  const { code, first } = await example().run(name, wanting("60Gi"), [pending, notBegun]);
  expect(code).toBe(0);
  expect(JSON.stringify(first)).toContain("its volumes are being expanded");
});

/** The operator has deleted the StatefulSet, and its pods are left as they are. */
const between: Edit = (object) => {
  const label = objectLabel(object);
  if (label === set) return undefined;
  if (!label.startsWith("Pod/engine/ec-")) return wanting("60Gi")(object);
  return withValue(object, ["metadata", "ownerReferences"], undefined) as unknown as KubeObject;
};

test("status tells the reason while the StatefulSet is absent", async () => {
  const { code, first } = await example().run("status", between, [pending]);
  expect(code).toBe(0);
  expect(JSON.stringify(first?.details)).toContain(
    "its StatefulSet (state Running); its volumes are being expanded",
  );
});

test("pods that were left are taken over by the StatefulSet that is made anew", async () => {
  const upgraded: Edit = (object) =>
    between(
      JSON.parse(
        JSON.stringify(object).replaceAll("engine/operator:7.8.2-6", "engine/operator:8.0.2-2"),
      ) as KubeObject,
    );
  const line = `upgrade-cluster ec --target=8.0.2-17 --skip=CLUSTER-RESIZING=${ec}`;
  const { code, written } = await example().run(line, upgraded, [pending]);
  expect([code, written.map(({ object }) => object)]).toEqual([0, [ec]]);
});
