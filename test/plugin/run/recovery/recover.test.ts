import { aFrozenScene, codesOf, ecRef, oldRef, type Scene, stepsOf } from "./scene";

let scene: Scene | undefined;

afterEach(async () => {
  await scene?.api.close();
});

test("look", async () => {
  scene = await aFrozenScene({ version: "6.2" });
  console.log(JSON.stringify((await scene.cluster.get(ecRef))?.["status"]), scene.play.log);
  const { report, look, evidence } = await scene.run({ apply: false });
  console.log(JSON.stringify(report, null, 1), look?.freeze.is, evidence);
  const done = await scene.run({ engineVersion: "7.2" });
  console.log(JSON.stringify(done.report, null, 1), stepsOf(done.report), codesOf(done.report), scene.journal);
  console.log(JSON.stringify(await scene.cluster.get(oldRef)));
  console.log(scene.api.calls.length, scene.sent);
});
