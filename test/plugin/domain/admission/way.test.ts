/** The way from the API server to the admission container, as `check` and `status` tell it. */
import { provenAt, seenWebhook } from "../../../support/probes";
import { firstRun } from "../../../../plugin/domain/base/remedy";
import { planFromFacts } from "../../../../plugin/commands/upgrade-webhook/checks";
import { webhookStatus } from "../../../../plugin/commands/upgrade-webhook/next";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { asArray, getPath } from "../../../../plugin/domain/base/values";
import { defaultNames } from "../../../../plugin/domain/names/names";
import {
  readCalled,
  judgeServerWay,
  wayFacts,
  wayLinks,
} from "../../../../plugin/domain/admission/way";
import { fitWorld, type World } from "../checks/world";
import { furtherBroken, furtherPairs, furtherWhole, twoFamilies } from "./way-cases";
import {
  openInMemory,
  openPolicies,
  peersOf,
  shutInMemory,
  shutPolicies,
  unreadPeers,
} from "./policy-rows";
import {
  brokenPairs as firstPairs,
  brokenWays as firstBroken,
  entries,
  pod,
  type Scene,
  service,
  wholeWays as firstWhole,
  wire,
} from "./way-rows";

const brokenWays = {
  ...firstBroken,
  ...furtherBroken,
  ...twoFamilies,
  ...shutPolicies,
  ...shutInMemory,
};
const brokenPairs = [...firstPairs, ...furtherPairs];
const wholeWays = { ...firstWhole, ...furtherWhole, ...openPolicies, ...openInMemory };

async function wired(...changes: readonly ((scene: Scene) => unknown)[]): Promise<World> {
  const world = await fitWorld();
  wire(world);
  for (const change of changes) change(world);
  return world;
}

test.each(Object.entries(brokenWays))("broken: %s", async (_, { at, code, change }) => {
  const world = await wired(change);
  const facts = await world.facts();
  const { findings } = await world.judge();
  const codes = findings.map((one) => one.code);
  const { way, verdict } = seenWebhook(facts);
  expect(way).toMatch(new RegExp(`broken at the ${wayLinks[at]}$`));
  expect(verdict).toMatchObject({ is: "stalled" });
  // each link that is broken is told once, and by nothing else
  expect(codes).toEqual(expect.arrayContaining([expect.stringMatching(code)]));
  expect(new Set(codes).size).toBe(codes.length);
  if (at !== "certificate") expect(verdict).toMatchObject({ code });
});

test.each(Object.entries(brokenWays))(
  "under failurePolicy Ignore: %s",
  async (_, { at, change }) => {
    const world = await wired(change);
    world.set(entries, "webhooks.0.failurePolicy", "Ignore");
    const { verdict } = seenWebhook(await world.facts());
    const said = (await world.judge()).findings.map(({ cause }) => cause).join("\n");
    expect(said).toContain("failurePolicy Ignore: calls that fail let edits pass");
    expect(`${said} ${JSON.stringify(verdict)}`).not.toMatch(
      /edits that it checks fail|are refused|every edit/,
    );
    expect(verdict).toMatchObject({ is: "stalled" });
    if (at !== "certificate") expect(JSON.stringify(verdict)).toMatch(/n.t.* validated/);
  },
);

test.each(brokenPairs)("broken twice: %s, and %s", async (first, second) => {
  const [one, other] = [brokenWays[first], brokenWays[second]];
  const world = await wired(
    (s) => one?.change(s),
    (s) => {
      if (first !== "no Service") other?.change(s);
    },
  );
  const { way } = seenWebhook(await world.facts());
  const [at, next] = [one, other].map((row) => wayLinks[row?.at ?? "answer"]);
  // what the entry lacks is told after what it leads to
  expect([`broken at the ${String(at)}`, `broken at the ${String(next)}`]).toContain(
    /broken at the .*$/.exec(String(way))?.[0],
  );
});

test.each(Object.entries(wholeWays))("whole: %s", async (_, change) => {
  const world = await wired(change);
  const { findings } = await world.judge();
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  const { way, verdict } = seenWebhook(await world.facts());
  expect(way).toMatch(
    /^API server → admission:\d+( → \d (pod|endpoint)s?)?, certificate \d+ days$/,
  );
  expect(verdict.is).toBe("fine");
});

test.each(["services", "endpointSlices", "pods", "networkPolicies", "namespaces"] as const)(
  "%s that may not be read break nothing",
  async (key) => {
    const world = await wired();
    world.unread.set(key, "forbidden");
    const facts = await world.facts();
    const way = judgeServerWay(readCalled(undefined, defaultNames), wayFacts(facts));
    expect(way.broken).toBeUndefined();
  },
);

describe.each(["may not be read", "are not those of the cluster"] as const)(
  "namespaces that %s:",
  (why) => {
    test.each(Object.entries(unreadPeers))("a policy that lets in %s", async (_, { from, is }) => {
      const world = await wired((s) => s.add(peersOf(...from)));
      if (why === "may not be read") world.unread.set("namespaces", "forbidden");
      const read = await world.facts();
      const facts =
        why === "may not be read"
          ? read
          : { ...read, objects: { ...read.objects, namespaces: [] } };
      const way = judgeServerWay(readCalled(undefined, defaultNames), wayFacts(facts));
      expect(way.broken).toBe(is === "closed" ? "network" : undefined);
      const doubts = (way.doubts ?? []).map(({ code, severity }) => [code, severity]);
      expect(doubts).toEqual(is === "unknown" ? [["WEBHOOK-NETWORK-POLICY", "warning"]] : []);
      const { verdict } = seenWebhook(facts);
      const open = why === "may not be read" ? "unknown" : "fine";
      const verdicts = { closed: "stalled", open, unknown: "unknown" } as const;
      expect(verdict.is).toBe(verdicts[is]);
      if (is === "unknown") {
        expect(verdict).toMatchObject({
          because: expect.stringContaining("could not be read") as string,
        });
        expect(webhookStatus(facts, { probe: provenAt(0) }).verdict.is).toBe("fine");
      }
    });
  },
);

test("check warns of a policy whose peers are not known, and accuses nobody", async () => {
  const world = await wired((s) => s.add(peersOf(...(unreadPeers["a label"]?.from ?? []))));
  world.unread.set("namespaces", "forbidden");
  const { findings } = await world.judge();
  const told = findings.filter(({ code }) => code === "WEBHOOK-NETWORK-POLICY");
  expect(told).toMatchObject([{ severity: "warning", object: "NetworkPolicy/engine/guard" }]);
});

test("a container beside the webhook's that says no port may listen where the Service sends to", async () => {
  const world = await wired((s) =>
    s
      .set(service, "spec.ports", [{ name: "https", port: 443, targetPort: 9443 }])
      .set(pod, "spec.containers", [
        { name: "relay" },
        { name: "admission", ports: [{ containerPort: 8443 }] },
      ]),
  );
  const { findings } = await world.judge();
  const told = findings.filter(({ code }) => code === "WEBHOOK-TARGET-PORT");
  expect(told).toMatchObject([{ severity: "warning", object: service }]);
  expect(told[0]?.cause).toContain("unless a container that says no port listens there");
  const { verdict, way } = seenWebhook(await world.facts());
  expect(verdict.is).toBe("unknown");
  expect(way).not.toContain("broken");
});

test("what is declared is told beside where the Service sends to", async () => {
  const world = await wired((s) => furtherBroken["the port of the Service"]?.change(s));
  const { findings } = await world.judge();
  expect(findings.find(({ code }) => code === "WEBHOOK-TARGET-PORT")).toMatchObject({
    cause:
      "it sends to port 443, which no container of Pod/engine/engine-enterprise-operator-1 opens, and the webhook listens on 8443: every call would fail; edits that it checks fail",
    fix: expect.stringContaining('"path":"/spec/ports/0/targetPort","value":8443') as string,
  });
});

/** What each line does to the object that it names. */
const acts: Readonly<Record<string, (world: World, label: string, words: string) => void>> = {
  scale: (world, label) => {
    world.set(label, "spec.replicas", 1);
  },
  label: (world, label, words) => {
    const [, key = ""] = / (\S+)-(?: |$)/.exec(words) ?? [];
    world.set(label, `metadata.labels.${key}`, undefined);
  },
  patch: (world, label, words) => {
    const [, text = ""] = /--patch=(.+)$/.exec(words) ?? [];
    const body = JSON.parse(text) as readonly Operation[] | Merge;
    if ("spec" in body) merge(world, label, body);
    else for (const one of body) operate(world, label, one);
  },
};
const labels: Readonly<Record<string, string>> = {
  deployment: "Deployment",
  endpointslice: "EndpointSlice",
  networkpolicy: "NetworkPolicy",
  pod: "Pod",
  service: "Service",
};

/** Does what the printed line does; false where the line only shows what a person has to see. */
async function carryOut(world: World, finding: Finding): Promise<boolean> {
  const { of, words } = firstRun(finding.remedies)?.run ?? { of: "kubectl", words: [""] };
  if (of === "tool") {
    const plan = planFromFacts(describeSituation(await world.facts(), world.target));
    world.set(String(finding.object), "webhooks", plan?.wanted["webhooks"]);
    return true;
  }
  const [act, kind, name, ...rest] = words;
  acts[String(act)]?.(world, `${labels[String(kind)]}/engine/${name}`, ` ${rest.join(" ")}`);
  return Object.hasOwn(acts, String(act));
}

interface Operation {
  readonly path: string;
  readonly value: unknown;
}

interface Merge {
  readonly spec: { readonly selector: Readonly<Record<string, string | null>> };
}

function operate(world: World, label: string, { path, value }: Operation): void {
  const keys = path.slice(1).split("/");
  if (keys.at(-1) !== "-") {
    world.set(label, keys.join("."), value);
    return;
  }
  const list = getPath(world.find(label), keys.slice(0, -1));
  world.set(label, keys.slice(0, -1).join("."), [...asArray(list), value]);
}

function merge(world: World, label: string, { spec }: Merge): void {
  const selector = getPath(world.find(label), ["spec", "selector"]);
  const merged = Object.entries({ ...(selector as object), ...spec.selector });
  const left = merged.filter(([, value]) => value !== null);
  world.set(label, "spec.selector", Object.fromEntries(left));
}

/** Lines that change nothing: a person has to see what stands behind it, and to decide. */
const shows = [
  "WEBHOOK-SERVICE-MISSING",
  "WEBHOOK-PODS-NOT-READY",
  "WEBHOOK-PUBLISHES-UNREADY",
  "WEBHOOK-NO-PODS",
  "WEBHOOK-NO-ENDPOINTS",
  "WEBHOOK-SELECTOR",
  "WEBHOOK-STRANGER-POD",
  "WEBHOOK-TARGET-PORT",
];

test.each(Object.entries(brokenWays).filter(([, { at }]) => at !== "certificate"))(
  "after the printed line the finding is gone, or a person has to decide: %s",
  async (_, { code, change }) => {
    const world = await wired(change);
    const { findings } = await world.judge();
    const finding = findings.find((one) => one.code === code);
    if (finding === undefined) throw new Error(`${code} is not found`);
    const isDone = await carryOut(world, finding);
    if (!isDone) {
      expect(shows).toContain(code);
      return;
    }
    const after = await world.judge();
    const told = after.findings.map((one) => [one.code, one.object, one.cause]);
    expect(told).not.toContainEqual([code, finding.object, finding.cause]);
  },
);

test("a way that the probe has proven is told as a whole one, whatever a policy says", async () => {
  const world = await wired((s) => s.add(peersOf({ podSelector: {} })));
  const { verdict, way } = webhookStatus(await world.facts(), { probe: provenAt(0) });
  expect(verdict).toMatchObject({
    is: "fine",
    says: expect.not.stringContaining("broken") as string,
  });
  expect(way).not.toContain("broken");
});
