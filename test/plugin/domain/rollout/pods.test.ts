import { containerOf, isReady, podTrouble } from "../../../../plugin/domain/rollout/stateful-set";
import { aPod } from "../cluster/scene";

test("a container is found by name, an only one by any name", () => {
  const [one, other] = [{ name: "one" }, { name: "other" }];
  expect(containerOf({ containers: [one, other] }, "other")).toBe(other);
  expect(containerOf({ containers: [one] }, "other")).toBe(one);
  expect(containerOf({ containers: [one, other] }, "third")).toBeUndefined();
  expect(containerOf({ containers: [null] }, "third")).toBeUndefined();
});

test("a pod that ends is not ready, whatever its condition says", () => {
  const metadata = { deletionTimestamp: "2026-08-01T10:00:00Z" };
  expect([isReady(aPod(0)), isReady(aPod(0, { ready: false }))]).toEqual([true, false]);
  expect(isReady(aPod(0, { metadata }))).toBe(false);
});

const waiting = (reason: string, message?: string): object => ({
  containerStatuses: [{ name: "node", state: { waiting: { reason, message } } }],
});
const unscheduled = (condition: object): object => ({
  phase: "Pending",
  conditions: [{ type: "PodScheduled", status: "False", ...condition }],
});

test.each<[string, object, object]>([
  [
    "an image that cannot be pulled is definite",
    waiting("ImagePullBackOff", "not found"),
    { code: "POD-IMAGE", definite: true, because: expect.stringContaining("not found") as string },
  ],
  [
    "an image without a message",
    waiting("ErrImagePull"),
    { code: "POD-IMAGE", because: expect.stringContaining("(ErrImagePull)") as string },
  ],
  [
    "the image of an init container",
    { initContainerStatuses: [{ state: { waiting: { reason: "InvalidImageName" } } }] },
    { code: "POD-IMAGE", definite: true },
  ],
  [
    "a crash, with its last exit code",
    {
      containerStatuses: [
        {
          name: "node",
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 137, finishedAt: "2026-08-01T10:00:00Z" } },
        },
      ],
    },
    {
      code: "POD-CRASH",
      definite: false,
      since: "2026-08-01T10:00:00Z",
      because: expect.stringContaining("exit code 137") as string,
    },
  ],
  [
    "a container that has just failed",
    { containerStatuses: [{ name: "node", state: { terminated: { exitCode: 1 } } }] },
    { code: "POD-CRASH", because: expect.stringContaining("(Error, last exit code 1)") as string },
  ],
  [
    "a configuration that does not fit",
    waiting("CreateContainerConfigError"),
    { code: "POD-CRASH", because: expect.stringContaining("CreateContainerConfigError") as string },
  ],
  [
    "the surest of two",
    {
      containerStatuses: [
        { name: "one", state: { waiting: { reason: "CrashLoopBackOff" } } },
        { name: "two", state: { waiting: { reason: "ErrImagePull" } } },
      ],
    },
    { code: "POD-IMAGE" },
  ],
  [
    "no node",
    unscheduled({
      message: "0/3 nodes: insufficient memory",
      lastTransitionTime: "2026-08-01T10:00:00Z",
    }),
    { code: "POD-UNSCHEDULABLE", since: "2026-08-01T10:00:00Z" },
  ],
  [
    "no node and a reason alone",
    unscheduled({ reason: "Unschedulable" }),
    { code: "POD-UNSCHEDULABLE", because: "no node takes it: Unschedulable" },
  ],
  ["no node and no word", unscheduled({}), { because: "no node takes it: no reason" }],
  [
    "no volume",
    unscheduled({ message: "pod has unbound immediate PersistentVolumeClaims" }),
    { code: "POD-VOLUME" },
  ],
  [
    "containers that are being made",
    waiting("ContainerCreating"),
    { code: "POD-NOT-READY", because: "it is Pending and not ready" },
  ],
  [
    "a pod that does not answer its probe",
    {
      phase: "Running",
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "ContainersNotReady",
          message: "unready: [node]",
          lastTransitionTime: "2026-08-01T10:00:00Z",
        },
      ],
      containerStatuses: [{ name: "node", state: { terminated: { exitCode: 0 } } }],
    },
    {
      code: "POD-NOT-READY",
      because: "it is Running and not ready: ContainersNotReady: unready: [node]",
      since: "2026-08-01T10:00:00Z",
    },
  ],
  [
    "an evicted pod",
    { phase: "Failed", reason: "Evicted", message: "low on memory" },
    { because: "it is Failed and not ready: Evicted: low on memory" },
  ],
])("%s keeps a pod from being ready", (_title, status, expected) => {
  const pod = { ...aPod(0), status };
  expect(podTrouble(pod)).toMatchObject(expected);
});

test("a ready pod has no trouble, and since when one has it is told by its making at least", () => {
  expect(podTrouble(aPod(0))).toBeUndefined();
  const metadata = { creationTimestamp: "2026-08-01T10:00:00Z" };
  expect(podTrouble(aPod(0, { ready: false, metadata }))?.since).toBe("2026-08-01T10:00:00Z");
});

describe("a pod that drains", () => {
  const ending = { deletionTimestamp: "2026-08-01T11:00:00Z" };

  test("says its grace, and began that much before the end that is stored", () => {
    const metadata = { ...ending, deletionGracePeriodSeconds: 3600 };
    expect(podTrouble(aPod(0, { metadata }))).toMatchObject({
      code: "POD-TERMINATING",
      definite: false,
      because: "it drains before it ends, and may take 3600 s",
      since: "2026-08-01T10:00:00.000Z",
    });
  });

  test("names the disruption that ends it", () => {
    const conditions = [{ type: "DisruptionTarget", status: "True", message: "node drain" }];
    expect(podTrouble(aPod(0, { metadata: ending, status: { conditions } }))).toMatchObject({
      because: "it drains before it ends: node drain",
      since: "2026-08-01T11:00:00.000Z",
    });
  });

  test("without a readable time has no beginning", () => {
    const metadata = { deletionTimestamp: "soon" };
    expect(podTrouble(aPod(0, { metadata }))?.since).toBeUndefined();
  });
});
