/** How long an output may be: what people read at night has to fit a screen, with its proof in it. */
import { join } from "node:path";
import { renderText } from "../../../plugin/output/text";
import { palette } from "../../../plugin/output/escape";
import type { Finding } from "../../../plugin/domain/base/findings";
import type { Report } from "../../../plugin/kernel/report";
import { aFolder } from "../../support/a-folder";
import { typed } from "../../support/program-world";
import { aWebhookProgram } from "../../support/webhook-program";

const folder = aFolder("length");
const env = { ENGINE_HOME: join(folder, "home"), HOME: folder, PATH: "" };
const rehearsed = [`--webhook=${aWebhookProgram().file}`];
const lines = (text: string): readonly string[] => text.trimEnd().split("\n");

const proof = [/^Unguarded: /m, /[oO]utage: /m, /^Probes: /m];

describe("a rehearsal", () => {
  test.each([
    ["of the swap", ["rehearse"], 40],
    ["of a whole upgrade", ["rehearse", "upgrade", "--yes"], 150],
  ])("%s tells its proof in few lines", async (_, argv, most) => {
    const { out, code } = await typed([...argv, ...rehearsed], { env });
    expect(code).toBe(0);
    expect(lines(out).length).toBeLessThanOrEqual(most);
    for (const part of proof) expect(out).toMatch(part);
  });
});

const warned: Finding = {
  ...{ code: "WEBHOOK-DIFFERS", severity: "warning", object: "ValidatingWebhookConfiguration/x" },
  ...{ cause: "its failurePolicy differs from the template", fix: "nothing", source: "S26" },
};

const saved = {
  object: "ValidatingWebhookConfiguration/x",
  file: "/runs/1/x.json",
  command: "kubectl create -f /runs/1/x.json",
  holds: "while no other of its name was made",
};

test.each<readonly [string, readonly Finding[], number]>([
  ["without a warning", [], 9],
  ["with one", [warned], 12],
])("a swap %s tells its proof in few lines", async (_, findings, most) => {
  const { out } = await typed(["rehearse", ...rehearsed, "-o", "json"], { env });
  const { details } = JSON.parse(out) as { details: { stages: { report: Report }[] } };
  const swap = details.stages
    .map(({ report }) => report)
    .find(({ run, exit }) => run?.dryRun === "none" && exit.code === 0);
  if (swap === undefined) throw new Error("the rehearsal carried nothing out");
  const text = renderText(
    { ...swap, findings, backups: [saved] },
    { palette: palette(false), verbosity: 0 },
  );
  expect(lines(text).length).toBeLessThanOrEqual(most);
  for (const part of [...proof, /^Saved .*put it back.*: kubectl /m, /^Done: /m]) {
    expect(text).toMatch(part);
  }
});
