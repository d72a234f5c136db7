import { X509Certificate } from "node:crypto";
import { aPair } from "../support/tls";
import { day, fingerprints, ours, paths, World } from "./own-cert-world";

let world: World;
beforeEach(() => {
  world = new World();
});

const one = (cert: string): string => fingerprints(Buffer.from(cert).toString("base64"))[0] ?? "";
const hour = day / 24;

/** Our own pair, stored and trusted, as old as said. */
async function inUse(ageMs: number): Promise<string> {
  const pair = await world.aPair();
  world.putSecret(pair);
  world.putRegistration(pair.cert);
  world.time += ageMs;
  return one(pair.cert);
}

describe("where there is no Secret", () => {
  test("one is made: two items, the names of the Service, 90 days, its own root", async () => {
    const replica = world.replica();
    expect(await replica.look()).toBe("quiet");
    const { type, data = {}, metadata } = world.get(paths.secret) ?? {};
    expect(type).toBe("Opaque");
    expect(Object.keys(data)).toEqual(["cert", "privateKey"]);
    expect(metadata?.managedFields).toMatchObject([{ manager: ours }]);
    const leaf = new X509Certificate(Buffer.from(data["cert"] ?? "", "base64"));
    const name = "admission.engine-admission";
    expect(leaf.subjectAltName).toBe(`DNS:${name}, DNS:${name}.svc, DNS:${name}.svc.cluster.local`);
    expect(Date.parse(leaf.validTo) - world.time).toBe(90 * day);
    expect(world.time - Date.parse(leaf.validFrom)).toBe(hour);
    expect(leaf.verify(leaf.publicKey)).toBe(true);
    expect(replica.serves).toBe(world.stored()[0]);
    expect(world.writes).toEqual(["secret 1"]);
  });

  test("what the registration trusts stays trusted for the overlap, for someone may serve it", async () => {
    const lost = await inUse(0);
    world.remove(paths.secret);
    const replica = world.replica();
    replica.serves = lost;
    expect(await replica.look()).toBe("soon");
    expect(world.trusted()).toContain(lost);
    expect(world.get(paths.secret)).toBeUndefined();
    await replica.untilQuiet();
    expect(world.writes).toEqual(["trust 2", "secret 2"]);
    expect(world.stored()[1]).toBe(lost);
    world.time += day;
    await replica.untilQuiet();
    expect(world.writes.slice(2)).toEqual(["secret 1", "trust 1"]);
  });

  test("a registration that points elsewhere is left alone", async () => {
    const { cert } = await world.aPair();
    world.putRegistration(cert, { name: "admission", namespace: "engine" });
    const replica = world.replica();
    await replica.untilQuiet();
    expect(world.writes).toEqual(["secret 1"]);
    expect(world.trusted()).toEqual([one(cert)]);
  });

  test("several replicas make one", async () => {
    const replicas = [world.replica(), world.replica(), world.replica()];
    await Promise.all(replicas.map((replica) => replica.look()));
    await Promise.all(replicas.map((replica) => replica.look()));
    expect(world.writes).toEqual(["secret 1"]);
    expect(new Set(replicas.map(({ serves }) => serves))).toEqual(new Set(world.stored()));
  });
});

describe("a Secret of our own", () => {
  test("that is fit is served, and nothing is written", async () => {
    const sha256 = await inUse(59 * day);
    const replica = world.replica();
    expect(await replica.look()).toBe("quiet");
    expect(world.writes).toEqual([]);
    expect(replica.serves).toBe(sha256);
    expect(replica.trusted()).toEqual(new Set([sha256]));
  });

  test("is renewed at two thirds of its life: trusted, known everywhere, served, and shrunk after a day", async () => {
    const old = await inUse(60 * day);
    const replica = world.replica();
    expect(await replica.look()).toBe("soon");
    expect(world.writes).toEqual(["trust 2"]);
    expect(replica.serves).toBe(old);
    world.time += 9_999;
    expect(await replica.look()).toBe("soon");
    expect(world.writes).toEqual(["trust 2"]);
    world.time += 1;
    expect(await replica.look()).toBe("quiet");
    expect(world.writes).toEqual(["trust 2", "secret 2"]);
    expect(replica.serves).toBe(world.stored()[0]);
    expect(world.stored()[1]).toBe(old);
    world.time += day - 1;
    expect(await replica.look()).toBe("quiet");
    expect(world.trusted()).toContain(old);
    world.time += 1;
    expect(await replica.look()).toBe("quiet");
    expect(world.writes.slice(2)).toEqual(["secret 1", "trust 1"]);
    expect(world.trusted()).toEqual([replica.serves]);
    world.time += day;
    expect(await replica.look()).toBe("quiet");
    expect(world.writes).toHaveLength(4);
  });

  test.each([
    ["expired", () => inUse(91 * day)],
    [
      "made for another name",
      async () => {
        const { certPem: cert, keyPem: key } = aPair({
          notBefore: new Date(world.time - day),
          notAfter: new Date(world.time + 80 * day),
        });
        world.putSecret({ cert, key });
        world.putRegistration(cert);
        return Promise.resolve();
      },
    ],
    [
      "no pair",
      async () => {
        const [{ cert }, { key }] = [await world.aPair(), await world.aPair()];
        world.putSecret({ cert, key });
        world.putRegistration(cert);
      },
    ],
  ])("that is %s is renewed too", async (_name, put) => {
    await put();
    const replica = world.replica();
    await replica.untilQuiet();
    expect(world.writes).toEqual(["trust 2", "secret 2"]);
    expect(replica.serves).toBe(world.stored()[0]);
  });

  test("is trusted by an entry that a person adds for the same Service, and by no other", async () => {
    const sha256 = await inUse(59 * day);
    world.addEntry("own.example.com");
    expect(await world.replica().look()).toBe("quiet");
    expect(world.writes).toEqual(["trust 1"]);
    expect(world.trustedBy("own.example.com")).toEqual([sha256]);
    expect(world.trustedBy("a.b.c")).toEqual([]);
  });

  test("is renewed for every entry that calls its Service, in the same write", async () => {
    const old = await inUse(60 * day);
    world.addEntry("own.example.com", world.get(paths.secret)?.data?.["cert"]);
    const replica = world.replica();
    await replica.look();
    expect(world.writes).toEqual(["trust 2"]);
    expect(world.trustedBy("own.example.com")).toEqual(world.trusted());
    expect(world.trusted()).toContain(old);
    world.time += 10_000;
    await replica.look();
    world.time += day;
    await replica.look();
    expect(world.trustedBy("own.example.com")).toEqual([replica.serves]);
  });

  test("is trusted again when someone has emptied the registration", async () => {
    await inUse(0);
    world.putRegistration("");
    const replica = world.replica();
    replica.serves = undefined;
    world.expectTrusted = () => undefined; // it is wrong already
    await replica.untilQuiet();
    expect(world.writes).toEqual(["trust 1"]);
  });

  test("is renewed once by several replicas, and all serve the new one", async () => {
    await inUse(60 * day);
    const replicas = [world.replica(), world.replica()];
    for (let round = 0; round < 4; round++) {
      await Promise.all(replicas.map((replica) => replica.look()));
      world.time += 5_000;
    }
    expect(world.writes).toEqual(["trust 2", "secret 2"]);
    expect(new Set(replicas.map(({ serves }) => serves))).toEqual(
      new Set(world.stored().slice(0, 1)),
    );
  });
});

test.each([
  ["secret", "Secret admission-tls"],
  ["registration", "the webhook configuration"],
] as const)("nothing is written while the %s is being deleted", async (key, says) => {
  const old = await inUse(60 * day);
  world.beginDeletion(paths[key]);
  const replica = world.replica();
  expect([await replica.look(), await replica.look()]).toEqual(["quiet", "quiet"]);
  expect([world.writes, replica.serves]).toEqual([[], old]);
  expect(world.requests.filter((line) => !line.startsWith("GET"))).toEqual([]);
  const told = world.log.of("the own certificate cannot be looked after");
  expect(told).toMatchObject([
    {
      fields: {
        because: expect.stringContaining(`${says} is being deleted since 2026-`) as string,
      },
    },
  ]);
});

test("a Secret of someone else that is being deleted is no concern of ours", async () => {
  world.putSecret(await world.aPair(), "someone");
  world.beginDeletion(paths.secret);
  await world.replica().look();
  expect(world.log.of("the own certificate cannot be looked after")).toEqual([]);
});

describe("a Secret of someone else", () => {
  test.each([
    ["fit", 0, "info"],
    ["expired", 91 * day, "error"],
  ] as const)(
    "that is %s is never written, and the log says so once",
    async (_name, age, level) => {
      const pair = await world.aPair();
      world.putSecret(pair, "kubectl-engine");
      world.putRegistration("");
      world.expectTrusted = () => undefined; // not ours to fix
      world.time += age;
      const replica = world.replica();
      for (let looks = 0; looks < 3; looks++) await replica.look();
      expect(world.writes).toEqual([]);
      expect(world.get(paths.lease)).toBeUndefined();
      expect(world.log.lines.map((line) => [line.level, line.message])).toEqual([
        [level, "the certificate is not our own: never renewed here"],
      ]);
      expect(world.log.lines[0]?.fields).toMatchObject({ managers: ["kubectl-engine"] });
    },
  );

  test("is served where there is nothing else, and left to the folder otherwise", async () => {
    const pair = await world.aPair();
    world.putSecret(pair, "kubectl-engine");
    const [empty, serving] = [world.replica(), world.replica()];
    serving.serves = "another";
    await empty.look();
    await serving.look();
    expect(empty.serves).toBe(one(pair.cert));
    expect(serving.serves).toBe("another");
  });

  test("once was ours: whoever replaces an item takes it over", async () => {
    await inUse(60 * day);
    const replica = world.replica();
    await replica.look();
    world.putSecret(await world.aPair(), "kubectl-edit");
    world.expectTrusted = () => undefined; // the person's part
    world.time += 10_000;
    await replica.look();
    expect(world.writes).toEqual(["trust 2"]);
  });
});

/** Counts the writes but those of the lease. */
function atWrite(count: number, what: "lost" | "answer lost"): void {
  let seen = 0;
  world.fault = ({ method, path }) =>
    method !== "GET" && !path.includes("leases") && ++seen === count ? what : undefined;
}

describe("a crash", () => {
  const moments = [1, 2, 3, 4].flatMap((count) =>
    (["lost", "answer lost"] as const).map((what) => [count, what] as const),
  );
  test.each(moments)("at write %i, %s, ends in the same state", async (count, what) => {
    const old = await inUse(60 * day);
    const [first, second] = [world.replica(), world.replica()];
    first.serves = second.serves = old;
    const live = async () => {
      for (let looks = 0; looks < 30; looks++) {
        for (const replica of [first, second]) {
          const failures = world.log.of("the own certificate cannot be looked after").length;
          await replica.look();
          const failed = world.log.of("the own certificate cannot be looked after").length;
          if (failed > failures) replica.crash();
        }
        world.time += 5_000;
      }
    };
    atWrite(count, what);
    await live();
    world.time += day;
    await live();
    expect(world.log.of("the own certificate cannot be looked after")).toHaveLength(1);
    expect(world.stored()).toHaveLength(1);
    expect(world.stored()).not.toEqual([old]);
    expect(world.trusted()).toEqual(world.stored());
    expect([first.serves, second.serves]).toEqual([...world.stored(), ...world.stored()]);
  });

  test("of the one who renews leaves it to another when the lease has stood still", async () => {
    await inUse(60 * day);
    const [first, second] = [world.replica(), world.replica()];
    await first.look();
    await second.look();
    world.time += 89_000;
    await second.look();
    expect(world.writes).toEqual(["trust 2"]);
    world.time += 1_000;
    await second.untilQuiet();
    expect(world.writes).toEqual(["trust 2", "trust 2", "secret 2"]);
    expect(world.get(paths.lease)?.spec).toMatchObject({ leaseTransitions: 1 });
    // the first was only asleep: what it had made is forgotten
    await first.look();
    expect(world.writes).toHaveLength(3);
    expect(first.serves).toBe(second.serves);
  });
});

describe("a write that comes too late", () => {
  /** Someone writes the object between the read and the write of a look, once. */
  function overtakenAt(path: string): () => boolean {
    let done = false;
    world.meanwhile = (request) => {
      const found = world.get(path);
      if (done || found === undefined || !request.path.startsWith(path)) return;
      done = true;
      Object.assign(found.metadata, { resourceVersion: "changed" });
    };
    return () => done;
  }

  test.each([
    ["the registration", paths.registration, 0],
    ["the Secret", paths.secret, 1],
    ["the lease", paths.lease, 1],
  ])("to %s is not forced: it is read again", async (_name, path, looksBefore) => {
    await inUse(60 * day);
    const replica = world.replica();
    for (let looks = 0; looks < looksBefore; looks++) await replica.look();
    world.time += 10_000;
    const overtaken = overtakenAt(path);
    const before = [...world.writes];
    await replica.look();
    expect(overtaken()).toBe(true);
    expect(world.writes).toEqual(before);
    await replica.look();
    await replica.untilQuiet();
    expect(world.writes.at(-1)).toBe("secret 2");
    expect(world.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("a pair that was made in vain is forgotten, not stored when the next one is due", async () => {
    await inUse(60 * day);
    const replica = world.replica();
    await replica.look();
    const faster = await world.aPair();
    world.putSecret(faster);
    world.putRegistration(faster.cert);
    await replica.untilQuiet();
    world.time += 60 * day;
    await replica.untilQuiet();
    const item = Buffer.from(world.get(paths.secret)?.data?.["cert"] ?? "", "base64");
    const left = Date.parse(new X509Certificate(item).validTo) - world.time;
    expect(left).toBeGreaterThan(89 * day);
  });

  test("a registration that is written back meanwhile is extended again, and waited for again", async () => {
    const pair = await world.aPair();
    world.putSecret(pair);
    world.putRegistration(pair.cert);
    world.time += 60 * day;
    const replica = world.replica();
    await replica.look();
    world.putRegistration(pair.cert);
    world.time += 10_000;
    expect(await replica.look()).toBe("soon");
    expect(world.writes).toEqual(["trust 2", "trust 2"]);
    world.time += 10_000;
    await replica.look();
    expect(world.writes).toEqual(["trust 2", "trust 2", "secret 2"]);
  });
});

describe("without a right", () => {
  const secret = { apiGroups: [""], resources: ["secrets"] };
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  const registration = {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingwebhookconfigurations"],
    resourceNames: ["engine-enterprise-admission"],
  };
  const named = { resourceNames: ["admission-tls"] };
  test.each([
    ["to read the Secret", "GET", paths.secret, { ...secret, ...named, verbs: ["get"] }, []],
    ["to write it", "PATCH", paths.secret, { ...secret, ...named, verbs: ["patch"] }, ["trust 2"]],
    [
      "to read the registration",
      "GET",
      paths.registration,
      { ...registration, verbs: ["get"] },
      [],
    ],
    ["to write it", "PATCH", paths.registration, { ...registration, verbs: ["patch"] }, []],
    ["to make the lease", "POST", paths.lease, { ...lease, verbs: ["create"] }, []],
  ] as const)("%s (%s %s) the rule is named once, and what is served continues", async (...row) => {
    const [, method, path, rule, writes] = row;
    const old = await inUse(60 * day);
    const replica = world.replica();
    replica.serves = old;
    world.fault = (request) => {
      const at = request.path.split("?")[0] ?? "";
      return request.method === method && path.startsWith(at) ? 403 : undefined;
    };
    for (let looks = 0; looks < 4; looks++) {
      await replica.look();
      world.time += 10_000;
    }
    const lines = world.log.of("the own certificate lacks an RBAC rule");
    expect(lines).toMatchObject([{ level: "error", fields: { rule } }]);
    expect(Object.keys(lines[0]?.fields["rule"] ?? {})).toEqual(
      expect.arrayContaining(Object.keys(rule)),
    );
    expect(world.writes).toEqual(writes);
    expect(replica.serves).toBe(old);
  });

  test("to create the Secret, none is made", async () => {
    world.fault = ({ method, path }) =>
      method === "POST" && path.includes("secrets") ? 403 : undefined;
    const replica = world.replica();
    await replica.look();
    expect(world.log.of("the own certificate lacks an RBAC rule")).toMatchObject([
      { fields: { rule: { ...secret, verbs: ["create"], namespace: "engine-admission" } } },
    ]);
    expect(replica.serves).toBeUndefined();
  });
});

describe("without the setting", () => {
  test("the registration is read, and nothing else", async () => {
    const sha256 = await inUse(60 * day);
    const replica = world.replica(false);
    expect(await replica.look()).toBe("quiet");
    expect(replica.trusted()).toEqual(new Set([sha256]));
    expect(world.requests).toEqual([`GET ${paths.registration}`]);
  });

  test.each([
    ["is not there", undefined, "quiet"],
    ["may not be read", 403, "never"],
    ["cannot be read now", 500, "quiet"],
  ] as const)("a registration that %s is not known, and no error", async (_name, status, next) => {
    world.fault = () => status;
    const replica = world.replica(false);
    expect(await replica.look()).toBe(next);
    expect(replica.trusted()).toBeUndefined();
    expect(world.log.lines).toEqual([]);
  });
});

describe("a keeper", () => {
  test("looks by itself from its start", async () => {
    const replica = world.replica();
    replica.keeper.start();
    await world.log.seen("own certificate stored");
    replica.keeper.stop();
    expect(world.writes).toEqual(["secret 1"]);
  });

  test("that is stopped looks no more, and does not complain of a look that broke off", async () => {
    const { keeper } = world.replica();
    world.fault = () => "lost";
    keeper.stop();
    expect(await keeper.look()).toBe("never");
    expect(world.log.lines).toEqual([]);
  });

  test("names what fails once, and again after it has gone well meanwhile", async () => {
    const replica = world.replica();
    const cannot = "the own certificate cannot be looked after";
    for (const status of [500, 500, undefined, 500]) {
      world.fault = () => status;
      await replica.look();
    }
    expect(world.log.of(cannot)).toHaveLength(2);
  });
});

test("the log never has a key", async () => {
  await inUse(60 * day);
  const replica = world.replica();
  await replica.untilQuiet();
  const text = JSON.stringify(world.log.lines);
  const key = Buffer.from(world.get(paths.secret)?.data?.["privateKey"] ?? "", "base64").toString();
  expect(world.log.of("own certificate stored")).toHaveLength(1);
  expect(text).not.toContain("PRIVATE");
  expect(text).not.toContain(key.split("\n")[3]);
});
