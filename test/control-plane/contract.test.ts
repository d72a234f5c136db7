/** Every behaviour of the contract on the real API server, and that memory behaves the same. */
import { groups } from "../contract/cases/all";
import { openMemoryWorld } from "../contract/memory-world";
import { seenIn } from "../contract/seen";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { openRealWorld } from "./contract-world";
import { applyCrds } from "./crds";

let controlPlane: ControlPlane;
let opened = 0;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  await applyCrds(controlPlane.api);
});

afterAll(async () => {
  await controlPlane.stop();
});

describe.each(groups)("$about", ({ cases }) => {
  test.each(cases)("$says", async ({ act, sees, limit }) => {
    opened += 1;
    const namespace = `contract-${String(opened).padStart(4, "0")}`;
    const real = await seenIn(await openRealWorld(controlPlane, namespace), act);
    expect(real).toEqual(sees);
    if (limit !== undefined) return;
    expect(await seenIn(await openMemoryWorld(namespace), act)).toEqual(real);
  });
});
