/** A StatefulSet with fewer pods than its EC has nodes: they are not "all pods" for any command. */
import { objectLabel, type KubeObject } from "../../../../plugin/domain/kube/objects";
import { withValue } from "../../../../plugin/domain/base/values";
import { type Edit, RehearsedExample } from "../../../support/rehearsed-example";
import { aWebhookProgram } from "../../../support/webhook-program";

const program = aWebhookProgram();
let made: RehearsedExample | undefined;
const example = (): RehearsedExample => (made ??= new RehearsedExample(program));

const set = "StatefulSet/engine/ec";
const scaledTo =
  (replicas: number): Edit =>
  (object) => {
    if (objectLabel(object) !== set) return object;
    return withValue(object, ["spec", "replicas"], replicas) as unknown as KubeObject;
  };

describe.each([0, 2])("scaled to %i of 3", (replicas) => {
  test.each(["check", "upgrade", "upgrade-cluster", "recover"])(
    "%s ends with 3, and says what brings it back",
    async (name) => {
      const { code, errors, written } = await example().run(name, scaledTo(replicas));
      expect([code, written]).toEqual([3, []]);
      const found = errors.find((one) => one.code === "CLUSTER-SCALED");
      expect(found).toMatchObject({ object: set });
      expect(found?.cause).toContain(`it asks for ${replicas} pods, and its EC for 3 nodes`);
      expect(found?.fix).toContain("kubectl scale statefulset ec --replicas=3 -n engine");
    },
  );

  test("status shows Stalled", async () => {
    const { code, first } = await example().run("status", scaledTo(replicas));
    expect([code, first?.details]).toMatchObject([0, { verdict: "stalled" }]);
  });
});

test("a StatefulSet that has its pods is nothing to tell", async () => {
  const { errors } = await example().run("check", scaledTo(3));
  expect(errors.map(({ code }) => code)).not.toContain("CLUSTER-SCALED");
});
