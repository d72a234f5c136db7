/** What status says of webhooks that do not work, and of some that look odd and work, on a real API server. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./pins";
import { Stage, type Told } from "./webhook-ways/stage";
import { brokenWays, furtherBroken, furtherSound, soundWays, type Way } from "./webhook-ways/ways";

const all = process.env["ENGINE_WAYS"] === "all";
const chosen = (ways: readonly Way[], further: readonly Way[]): readonly Way[] =>
  all ? [...ways, ...further] : ways.filter(({ ci }) => ci);

jest.setTimeout(300_000);

const told: Record<string, Told> = {};
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(async () => {
  await stage.close();
  if (!all) return;
  mkdirSync(join(repositoryRoot, ".cache"), { recursive: true });
  writeFileSync(join(repositoryRoot, ".cache", "webhook-ways.json"), JSON.stringify(told, null, 2));
});

test.each(chosen(brokenWays, furtherBroken))("does not work: $name", async (way) => {
  const { edits, verdict } = (told[way.name] = await stage.tell(way));
  expect(edits).toEqual(way.edits);
  expect(verdict.is).toBe(way.isOpen ? "unknown" : "stalled");
  if ("code" in verdict) expect(way.right).toContain(verdict.code);
});

test.each(chosen(soundWays, furtherSound))("works: $name", async (way) => {
  const { edits, verdict } = (told[way.name] = await stage.tell(way));
  expect(edits).toEqual(way.edits);
  expect(verdict.is).toBe("fine");
});
