import {
  aDeployment,
  aNamespace,
  anEndpointSlice,
  aSecret,
  aService,
} from "../../../support/builders";
import { codesOf, Scene } from "./scene";

const gone: Readonly<Record<string, (scene: Scene) => void>> = {
  "NAMESPACE-MISSING": ({ cluster }) => {
    cluster.drop("Namespace", "engine");
  },
  "WEBHOOK-SERVICE-MISSING": ({ cluster }) => {
    cluster.drop("Service", "admission", "engine");
  },
  "WEBHOOK-NO-ENDPOINTS": ({ cluster }) => {
    cluster.put(anEndpointSlice("engine", false));
  },
  "OPERATOR-NOT-READY": ({ cluster }) => {
    cluster.put(aDeployment("engine", 0));
  },
};

describe("stops with 3, and nothing is written:", () => {
  test.each(Object.entries(gone))("%s", async (code, take) => {
    const scene = new Scene({ old: true });
    take(scene);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 3, next: expect.any(String) as string });
    expect(codesOf(report)).toEqual([code]);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the endpoint slices are not served at all", async () => {
    const scene = new Scene({ old: true });
    const { cluster } = scene;
    const listed = cluster.list.bind(cluster);
    cluster.list = async (resource, options) =>
      resource.kind === "EndpointSlice" ? undefined : await listed(resource, options);
    expect(codesOf(await scene.run())).toEqual(["WEBHOOK-NO-ENDPOINTS"]);
    expect(cluster.written).toEqual([]);
  });

  test("the Secret does not come within --wait-secret", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.drop("Secret", "admission-tls", "engine");
    const report = await scene.run({ waitSecretMs: 1_200 });
    expect(report.exit.code).toBe(3);
    expect(codesOf(report)).toEqual(["SECRET-MISSING"]);
    expect(scene.clock.sleeps.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(1_200);
    expect(scene.cluster.written).toEqual([]);
    expect(scene.events).toContainEqual({
      type: "waiting",
      on: "Secret/engine/admission-tls to appear",
      seconds: 1,
    });
  });
});

describe("an operator that is elsewhere is no hindrance:", () => {
  test("without its Deployment in the namespace", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.drop("Deployment", "engine-enterprise-operator", "engine");
    expect((await scene.run()).exit.code).toBe(0);
  });
});

describe("waits", () => {
  test("for the Secret, which may come late", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.drop("Secret", "admission-tls", "engine");
    scene.clock.beforeSleep = () => {
      if (scene.clock.sleeps.length === 20) scene.cluster.put(aSecret("engine"));
    };
    expect((await scene.run()).exit.code).toBe(0);
  });

  test.each(Object.entries(gone).filter(([code]) => code !== "NAMESPACE-MISSING"))(
    "with --wait until %s is over",
    async (_code, take) => {
      const scene = new Scene({ old: true });
      take(scene);
      scene.clock.beforeSleep = () => {
        if (scene.clock.sleeps.length !== 10) return;
        scene.cluster.put(aService("engine"));
        scene.cluster.put(anEndpointSlice("engine"));
        scene.cluster.put(aDeployment("engine"));
      };
      expect((await scene.run({ wait: true })).exit.code).toBe(0);
    },
  );

  test("with --wait no longer than --timeout: 124, and nothing is written", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.put(aDeployment("engine", 0));
    const report = await scene.run({ wait: true, timeoutMs: 5_000 });
    expect(report.exit).toMatchObject({ code: 124, next: expect.any(String) as string });
    expect(report.exit.reason).toContain("timed out waiting: Deployment/engine/");
    expect(scene.cluster.written).toEqual([]);
  });

  test("not for a namespace", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.drop("Namespace", "engine");
    expect((await scene.run({ wait: true })).exit.code).toBe(3);
    expect(scene.clock.sleeps).toEqual([]);
  });

  test("only until it is interrupted", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.drop("Secret", "admission-tls", "engine");
    scene.clock.beforeSleep = () => {
      scene.interrupt();
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(130);
    expect(report.exit.reason).toBe("interrupted by SIGINT; nothing was written");
  });
});

describe("namespaces of the found configurations", () => {
  test("each is looked up once, and only those of the two names", async () => {
    const scene = new Scene({ old: { namespace: "other" }, new: { namespace: "other" } });
    scene.cluster.put(aNamespace("other"));
    await scene.run();
    const asked = scene.cluster.calls.filter(
      ({ verb, target }) => verb === "get" && target === "Namespace/other",
    );
    expect(asked).toHaveLength(1);
  });

  test("a cluster that serves no webhook configurations has none", async () => {
    const scene = new Scene();
    const { cluster } = scene;
    const listed = cluster.list.bind(cluster);
    cluster.list = async (resource, options) =>
      resource.kind === "ValidatingWebhookConfiguration"
        ? undefined
        : await listed(resource, options);
    expect(codesOf(await scene.run())).toEqual(["WEBHOOK-ABSENT"]);
  });
});
