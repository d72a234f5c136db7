/** Probes that a policy or a webhook of someone else answers, as `upgrade` and `status` tell them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath } from "../../../../plugin/domain/base/values";
import type { StatusDetails } from "../../../../plugin/commands/status/screen";
import { exampleSource } from "../../../../plugin/simulator/example";
import { observe } from "../../../../plugin/simulator/observed-cluster";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { aFolder } from "../../../support/a-folder";
import { aNewConfiguration, ownerMarks } from "../../../support/builders";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, type PlayedWorld } from "../../../support/played-operator";
import { typed } from "../../../support/program-world";
import { folder, release } from "../../../support/upgrade-runs";

let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  objects = [...(await exampleSource(names, testTime)).objects];
});

/** What answers a probe: undefined lets it pass. */
type Answer = (isBad: boolean, name: string) => string | undefined;

const ours = `admission webhook "${names.webhook.entry}" denied the request: no such version`;
const foreign = {
  webhook: 'admission webhook "freeze.shop.example" denied the request: change window',
  down: 'Internal error occurred: failed calling webhook "freeze.shop.example": EOF',
  policy:
    "databases \"x\" is forbidden: ValidatingAdmissionPolicy 'shop-freeze' with binding 'all' denied request: no",
};

function answering(cluster: KubeClient, answer: Answer): KubeClient {
  const asked = (object: KubeObject, dryRun: boolean | undefined): void => {
    if (dryRun !== true || !object.kind.startsWith("EngineEnterprise")) return;
    const isBad = /no-such|"0\.0"|"shards"/.test(JSON.stringify(object["spec"]));
    const says = answer(isBad, object.metadata.name ?? "");
    if (says !== undefined) throw new ApiError(says, { status: 422 });
  };
  const answered = (verb: "create" | "update"): PropertyDescriptor => {
    const value: KubeClient["update"] = async (object, options) => {
      asked(object, options?.dryRun);
      return await cluster[verb](object, options ?? {});
    };
    return { value, writable: true, configurable: true };
  };
  return Object.create(cluster, {
    create: answered("create"),
    update: answered("update"),
  }) as KubeClient;
}

async function run(
  world: PlayedWorld,
  words: readonly string[],
  answer: Answer,
): Promise<Report & { readonly writes: readonly string[] }> {
  const writes: string[] = [];
  const observed = observe(world.cluster, async (call, act) => {
    if (call.writes && !call.subject.includes("AccessReview")) writes.push(call.subject);
    return await act();
  });
  const { out } = await typed([...words, "-n", "engine", "-o", "json"], {
    connect: () => Promise.resolve(answering(observed, answer)),
    clock: world.clock,
    env: { ENGINE_HOME: join(folder, "home") },
  });
  return { ...(JSON.parse(out) as Report), writes };
}

const pair = join(aFolder("pair"), "pair.yaml");

beforeAll(() => {
  const object = (name: string, spec: object): object => ({
    apiVersion: `${names.group}/${names.version}`,
    kind: names.edb.kind,
    metadata: { name, namespace: "engine" },
    spec,
  });
  const documents = [object("own", {}), object("own", { shards: "no" })];
  writeFileSync(pair, renderDocuments(documents));
});

/** Good edits are refused by somebody else, but for the one that the team allows. */
const frozen =
  (says: string): Answer =>
  (isBad, name) => {
    if (isBad) return ours;
    return name === "own" ? undefined : says;
  };
const named = [
  ["webhook", "webhook/freeze.shop.example", "change or remove the webhook freeze.shop.example"],
  ["down", "webhook/freeze.shop.example", "repair or remove the webhook freeze.shop.example"],
  ["policy", "ValidatingAdmissionPolicy/shop-freeze", "kubectl get validatingadmissionpolicy"],
] as const;

describe("upgrade", () => {
  const words = ["upgrade", "--release", release, "--yes"];

  test.each(named)("a %s: 3 before any write, with what is wrong", async (by, object, advice) => {
    for (const more of [[], ["--dry-run=client"], ["--dry-run=server"]]) {
      const world = await aPlayedWorld({ objects });
      const { exit, findings, writes } = await run(world, [...words, ...more], frozen(foreign[by]));
      expect([exit.code, writes]).toEqual([3, []]);
      const fix = expect.stringMatching(new RegExp(`${advice}.*--probe-file`)) as string;
      expect(findings).toContainEqual(
        expect.objectContaining({ code: "PROBE-REFUSED", object, fix }),
      );
    }
  });

  test("--probe-file with an edit that passes carries it through", async () => {
    const world = await aPlayedWorld({ objects });
    const { exit } = await run(world, [...words, "--probe-file", pair], frozen(foreign.policy));
    expect(exit.code).toBe(0);
  });

  describe("where the installer owns the webhook", () => {
    const owned = async (): Promise<PlayedWorld> => {
      const others = objects.filter(({ kind }) => kind !== "ValidatingWebhookConfiguration");
      const marks = ownerMarks.Helm;
      return await aPlayedWorld({ objects: [...others, aNewConfiguration({ metadata: marks })] });
    };

    test.each([[[]], [["--dry-run=client"]], [["--dry-run=server"]]])(
      "3 before any write, named (%j)",
      async (more) => {
        const asked = [...words, ...more];
        const ended = await run(await owned(), asked, frozen(foreign.webhook));
        expect([ended.exit.code, ended.writes]).toEqual([3, []]);
        expect(ended.findings).toContainEqual(expect.objectContaining({ code: "PROBE-REFUSED" }));
      },
    );

    test("--no-probe carries it through unproven", async () => {
      const asked = [...words, "--no-probe"];
      const { exit } = await run(await owned(), asked, frozen(foreign.webhook));
      expect(exit.code).toBe(0);
    });

    test("--probe-file is what it is proven by", async () => {
      const asked = [...words, "--probe-file", pair];
      const { exit } = await run(await owned(), asked, frozen(foreign.webhook));
      expect([exit.code, exit.reason]).toEqual([
        0,
        expect.stringContaining("it was seen refusing a bad edit") as string,
      ]);
    });
  });
});

describe("status --probe", () => {
  const world = async (): Promise<PlayedWorld> => {
    const others = objects.filter(({ kind }) => kind !== "ValidatingWebhookConfiguration");
    const secret = objects.find(({ metadata }) => metadata.name === names.webhook.secret);
    const caBundle = String(getPath(secret, ["data", "cert"]));
    return await aPlayedWorld({ objects: [...others, aNewConfiguration({ caBundle })] });
  };
  const look = async (answer: Answer) => {
    const played = await world();
    const from = played.clock.now();
    const report = await run(played, ["status", "--probe"], answer);
    const { webhook } = report.details as StatusDetails;
    return { webhook, ms: played.clock.now() - from };
  };

  test.each(named)("a %s that refuses good edits is named at once", async (by, object, advice) => {
    const { webhook, ms } = await look(frozen(foreign[by]));
    // who refuses an edit of the probe may have a reason; who fails stops every edit
    const stalled = { is: "stalled", object, fix: expect.stringContaining(advice) as string };
    const because = expect.stringContaining(object.replace("/", " ")) as string;
    expect(webhook.verdict).toMatchObject(by === "down" ? stalled : { is: "unknown", because });
    // status has no such flags
    expect(JSON.stringify(webhook.verdict)).not.toMatch(/--(no-probe|probe-file)/);
    expect([webhook.probe?.proven, ms]).toEqual([false, 0]);
  });

  test("where only bad edits are refused by somebody else, nothing is known of ours", async () => {
    const { webhook } = await look((isBad) => (isBad ? foreign.policy : undefined));
    expect(webhook.verdict).toMatchObject({
      is: "unknown",
      because: expect.stringContaining("ValidatingAdmissionPolicy shop-freeze") as string,
    });
  });

  test("a webhook that refuses nothing is told within 6 s", async () => {
    const { webhook, ms } = await look(() => undefined);
    expect(webhook.verdict.is).toBe("stalled");
    expect(ms).toBeLessThanOrEqual(6_000);
  });
});
