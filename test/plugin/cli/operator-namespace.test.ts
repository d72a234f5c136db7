/** A namespace without the operator: readers are led to it, writers stop and print the line to run. */
import { join } from "node:path";
import { ApiError } from "../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { exampleSource } from "../../../plugin/simulator/example";
import { observe } from "../../../plugin/simulator/observed-cluster";
import type { Report } from "../../../plugin/kernel/report";
import { admin } from "../../support/world";
import { testTime } from "../../support/manual-clock";
import { aPlayedWorld } from "../../support/played-operator";
import { type Ended, typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";
import { aFolder } from "../../support/a-folder";

let folder = "";
let release = "";
beforeAll(() => {
  folder = aFolder("place");
  release = writeRelease(join(folder, "release"), "8.0.2-2");
});

interface Run extends Ended {
  readonly report: Report;
  readonly writes: readonly string[];
}

interface Wish {
  readonly objects?: (all: readonly KubeObject[]) => readonly KubeObject[];
  /** What may not be read, as a part of the subject of a call. */
  readonly forbidden?: string;
}

async function run(argv: readonly string[], wish: Wish = {}): Promise<Run> {
  const { objects } = await exampleSource(names, testTime);
  const world = await aPlayedWorld({ objects: wish.objects?.(objects) ?? objects });
  const writes: string[] = [];
  const ended = await typed([...argv, "--yes", "-o", "json"], {
    connect: ({ namespace = "default" }) => {
      const inner = world.controlPlane.connect({ user: admin, namespace });
      return Promise.resolve(
        observe(inner, async (call, act) => {
          const { forbidden } = wish;
          if (forbidden !== undefined && call.subject.toLowerCase().includes(forbidden)) {
            throw new ApiError("forbidden", { status: 403, reason: "Forbidden" });
          }
          if (call.writes && !call.subject.includes("AccessReview")) writes.push(call.verb);
          return await act();
        }),
      );
    },
    clock: world.clock,
    env: { ENGINE_HOME: join(folder, "home"), HOME: folder, PATH: "" },
  });
  return { ...ended, writes, report: JSON.parse(ended.out) as Report };
}

const reading: readonly (readonly [string, string[]])[] = [
  ["check", ["check"]],
  ["status", ["status"]],
  ["recover", ["recover"]],
];
const writing = (): readonly (readonly [string, string[]])[] => [
  ["upgrade", ["upgrade", "--no-probe", `--release=${release}`]],
  ["upgrade-operator", ["upgrade-operator", `--release=${release}`]],
  ["upgrade-cluster", ["upgrade-cluster", "ec", "--target=8.0.2-17"]],
  ["upgrade-database", ["upgrade-database", "--all", "--engine-version=7.4", "--may-discard-data"]],
  ["upgrade-webhook", ["upgrade-webhook", "--no-probe"]],
  ["reapply-rbac", ["reapply-rbac"]],
  ["unbind-scc", ["unbind-scc"]],
  ["recover --apply", ["recover", "--apply"]],
  ["diff", ["diff", "upgrade-operator", `--release=${release}`]],
];
const writers = writing().map(([name]) => name);
const lineOf = (name: string): string[] => writing().find(([one]) => one === name)?.[1] ?? [];

describe("a command that reads", () => {
  test.each(reading)("%s finds the operator in its namespace, and says so", async (_, line) => {
    const found = await run([...line, "-n", "shop"]);
    const right = await run([...line, "-n", "engine"]);
    expect(found.err).toContain(
      "warning: namespace shop has no operator; an operator is in engine: namespace engine is shown",
    );
    expect(found.report.target?.namespace).toBe("engine");
    expect(found.code).toBe(right.code);
    expect(found.report.findings).toEqual(right.report.findings);
  });

  test("prints commands for the namespace that it shows", async () => {
    const { out } = await run(["status", "-n", "shop"]);
    expect(out).toContain("--namespace=engine");
    expect(out).not.toContain("--namespace=shop");
  });

  test.each(reading)("%s ends with 3 where the namespace does not exist", async (_, line) => {
    const { code, report, writes } = await run([...line, "-n", "nosuch"]);
    expect([code, writes]).toEqual([3, []]);
    expect(report.findings).toEqual([
      expect.objectContaining({
        code: "NAMESPACE-MISSING",
        object: "Namespace/nosuch",
        cause: "the namespace does not exist; an operator is in engine",
        command: `kubectl engine ${line.join(" ")} --yes --output=json --namespace=engine`,
      }),
    ]);
  });
});

describe("a command that writes", () => {
  test.each(writers)("%s stops with 3 and prints the line", async (name) => {
    const line = lineOf(name);
    const { code, report, writes } = await run([...line, "-n", "shop"]);
    expect([code, writes]).toEqual([3, []]);
    expect(report.findings).toEqual([
      expect.objectContaining({
        code: "OPERATOR-ELSEWHERE",
        object: "Namespace/shop",
        command: `kubectl engine ${line.join(" ")} --yes --output=json --namespace=engine`,
      }),
    ]);
  });

  test.each(["upgrade-operator", "upgrade-database", "upgrade-webhook", "reapply-rbac"])(
    "%s ends with 3 where the namespace does not exist",
    async (name) => {
      const { code, report, writes } = await run([...lineOf(name), "-n", "nosuch"]);
      expect([code, writes]).toEqual([3, []]);
      expect(report.findings?.map((one) => one.code)).toEqual(["NAMESPACE-MISSING"]);
    },
  );

  test("the printed line runs", async () => {
    const { report } = await run(["reapply-rbac", "-n", "shop"]);
    const words = (report.findings?.[0]?.command ?? "").split(" ").slice(2);
    const again = await run(words.filter((word) => !["--yes", "--output=json"].includes(word)));
    expect([again.code, again.report.target?.namespace]).toEqual([0, "engine"]);
  });
});

describe("where nothing else is known, the command checks for itself", () => {
  test("a namespace whose operator is gone, but not its cluster", async () => {
    const without = (all: readonly KubeObject[]): readonly KubeObject[] =>
      all.filter(({ kind }) => kind !== "Deployment");
    const { report } = await run(["upgrade-cluster", "ec", "--target=8.0.2-17", "-n", "engine"], {
      objects: without,
    });
    expect(report.findings?.map(({ code }) => code)).not.toContain("OPERATOR-ELSEWHERE");
  });

  test("a namespace whose operator and clusters are gone, but not the operator's account", async () => {
    const account = (all: readonly KubeObject[]): readonly KubeObject[] => [
      ...all,
      {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: names.operator.serviceAccount, namespace: "shop" },
      },
    ];
    const { report } = await run([...lineOf("upgrade-operator"), "-n", "shop"], {
      objects: account,
    });
    expect(report.findings?.map(({ code }) => code) ?? []).not.toContain("OPERATOR-ELSEWHERE");
  });

  test("the operator's account may not be read: the other signs decide", async () => {
    const { code, report, writes } = await run([...lineOf("upgrade-operator"), "-n", "shop"], {
      forbidden: "serviceaccount",
    });
    expect([code, writes]).toEqual([3, []]);
    expect(report.findings?.map((one) => one.code)).toEqual(["OPERATOR-ELSEWHERE"]);
  });

  test("a user who may not look", async () => {
    const { code, report } = await run(
      ["upgrade-cluster", "ec", "--target=8.0.2-17", "-n", "shop"],
      {
        forbidden: "deployment",
      },
    );
    expect(report.findings?.map((one) => one.code) ?? []).not.toContain("OPERATOR-ELSEWHERE");
    expect(code).not.toBe(0);
  });

  test("a person who takes the webhook over means the namespace", async () => {
    const moved =
      "WEBHOOK-OTHER-NAMESPACE=ValidatingWebhookConfiguration/engine-enterprise-admission";
    const line = ["upgrade-webhook", "--no-probe", "--skip", moved, "-n", "shop"];
    const { code, report, writes } = await run(line);
    expect([code, writes]).toEqual([3, []]);
    expect(report.findings?.map((one) => one.code)).not.toContain("OPERATOR-ELSEWHERE");
  });

  test("two other operators: none is chosen for a person", async () => {
    const second = (all: readonly KubeObject[]): readonly KubeObject[] =>
      all.flatMap((one) =>
        one.kind === "Deployment"
          ? [one, { ...one, metadata: { ...one.metadata, namespace: "reports", uid: "other" } }]
          : [one],
      );
    const read = await run(["status", "-n", "shop"], { objects: second });
    expect(read.err).toContain(
      "; an operator is in engine and in reports: give one of them with -n",
    );
    expect(read.report.target?.namespace).toBe("shop");
    const write = await run(["unbind-scc", "-n", "shop"], { objects: second });
    expect(write.code).toBe(3);
    expect(write.report.findings?.[0]).not.toHaveProperty("command");
  });
});
