/** A database that is being created, imported into or changed, or that was never created: judged before the write. */
import { objectLabel, type KubeObject } from "../../../../plugin/domain/kube/objects";
import { withValue } from "../../../../plugin/domain/base/values";
import { type Edit, RehearsedExample } from "../../../support/rehearsed-example";
import { aWebhookProgram } from "../../../support/webhook-program";

const program = aWebhookProgram();
let made: RehearsedExample | undefined;
const example = (): RehearsedExample => (made ??= new RehearsedExample(program));

const sessions = "EngineEnterpriseDatabase/shop/sessions";
const inState =
  (state: string): Edit =>
  (object) => {
    if (objectLabel(object) !== sessions) return object;
    return withValue(object, ["status", "status"], state) as unknown as KubeObject;
  };

describe.each([
  ["import-pending", "DATABASE-BUSY"],
  ["active-change-pending", "DATABASE-BUSY"],
  ["creation-failed", "DATABASE-FAILED"],
])("in state %s", (state, expected) => {
  test("it is refused where it was asked for alone: 3", async () => {
    const line = "upgrade-database shop/sessions --engine-version=7.4 --may-discard-data";
    const { code, errors, written } = await example().run(line, inState(state));
    expect([code, errors.map((one) => [one.code, one.object]), written]).toEqual([
      3,
      [[expected, sessions]],
      [],
    ]);
  });

  test("it is left out and named, the others are upgraded: 6", async () => {
    const line = "upgrade-database";
    const { code, first, written } = await example().run(line, inState(state));
    expect([code, first?.exit]).toMatchObject([6, { leftOut: [sessions] }]);
    expect(written.length).toBeGreaterThan(0);
    expect(written.map(({ object }) => object)).not.toContain(sessions);
  });
});
