import type { Refused } from "../../../../plugin/domain/rules/denial";
import { denialStatus } from "../../../../plugin/domain/rules/denial";
import type { Cause } from "../../../../plugin/domain/rules/types";
import { changed, created, found, judge } from "./cases";

const webhookName = "redisenterprise.admission.engine";
const kind = "EngineEnterpriseDatabase";
const group = "app.engine.com";

function refused(parts: Partial<Refused> = {}): Refused {
  const verdict = judge(created({ engineVersion: "9.9" }));
  return { kind, group, name: "db1", verdict, webhookName, ...parts };
}

function causes(count: number): readonly Cause[] {
  return Array.from({ length: count }, (_, index) => ({
    rule: "R3" as const,
    reason: "FieldValueNotFound" as const,
    field: `spec.moduleList[${index}].name`,
    message: `Not found: "m${index}" [R3]`,
  }));
}

describe("a denial", () => {
  test("one cause: the whole story in the message and in the cause", () => {
    const message =
      `Unsupported value: "9.9": supported values: "7.2", "7.4", "8.0", "8.2", "major"; ` +
      `set one of these (refused by webhook ${webhookName}) [R1]`;
    expect(denialStatus(refused())).toEqual({
      code: 422,
      reason: "Invalid",
      message: `${kind}.${group} "db1" is invalid: spec.engineVersion: ${message}`,
      details: {
        group,
        kind,
        name: "db1",
        causes: [{ reason: "FieldValueNotSupported", field: "spec.engineVersion", message }],
      },
    });
  });

  test("several causes: all in brackets, the webhook named once", () => {
    const verdict = judge(
      changed({ engineVersion: "8.0" }, { engineVersion: "8.2", moduleList: [{ name: "x" }] }),
      { cluster: found({ policy: "major" }) },
    );
    const status = denialStatus(refused({ verdict }));
    const errors = status.details.causes.map(({ field, message }) => `${field}: ${message}`);
    expect(status.message).toBe(`${kind}.${group} "db1" is invalid: [${errors.join(", ")}]`);
    expect(status.details.causes.map(({ reason }) => reason)).toEqual([
      "FieldValueForbidden",
      "FieldValueNotFound",
    ]);
    expect(status.message.split(webhookName)).toHaveLength(2);
    expect(errors[0]).toMatch(/\(refused by webhook .*\) \[R2\]$/);
  });

  test("with generateName there is no name yet", () => {
    const { name, ...nameless } = refused();
    const status = denialStatus(nameless);
    expect(name).toBe("db1");
    expect(status.message).toContain(`${kind}.${group} "" is invalid: `);
    expect(status.details).not.toHaveProperty("name");
  });

  test.each([
    ["all", 1, 1, `"m0"`],
    ["all of 32", 32, 32, `Not found: "m31" [R3]`],
    [
      "31 of 33, and the count of the others",
      33,
      32,
      "2 more problems from here on are not shown [R3]",
    ],
    ["31 of very many", 100_000, 32, "99969 more problems from here on are not shown [R3]"],
  ])("it shows %s", (_title, ...[count, shown, last]) => {
    const verdict = { causes: causes(count), warnings: [], dependsOnCluster: true };
    const { details, message } = denialStatus(refused({ verdict }));
    expect(details.causes).toHaveLength(shown);
    expect(details.causes.at(-1)?.message).toContain(last);
    expect(message).toContain(last);
  });

  test("what is counted without a cause is told with the others", () => {
    const verdict = { causes: causes(64), more: 36, warnings: [], dependsOnCluster: true };
    const { details } = denialStatus(refused({ verdict }));
    expect(details.causes.at(-1)?.message).toBe("69 more problems from here on are not shown [R3]");
  });

  test("names from the request cannot break the line", () => {
    const evil = `x"\n\u001b[31m`;
    const status = denialStatus(
      refused({ kind: evil, group: evil, name: evil, webhookName: evil }),
    );
    expect(JSON.parse(JSON.stringify(status))).toEqual(status);
    for (const text of [status.message, status.details.kind, status.details.name]) {
      expect(text).toMatch(/^[\x20-\x7e]+$/);
    }
    expect(status.message).toContain(String.raw`"x\"\n\u001b[31m" is invalid`);
  });

  test("a verdict without causes is no denial: that is an error of the program", () => {
    const verdict = { causes: [], warnings: [], dependsOnCluster: false };
    expect(() => denialStatus(refused({ verdict }))).toThrow("at least one cause");
  });
});
