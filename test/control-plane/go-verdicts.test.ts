/**
 * What Go's crypto/tls says of a certificate, beside what this product says of it. UPDATE_GOLDEN=1
 * records the verdicts anew, with new certificates; npm test holds the product to them without Go.
 */
import { writeFileSync } from "node:fs";
import { judgeServed, rootsIn } from "../../plugin/adapters/http/x509/judge";
import { aFolder } from "../support/a-folder";
import { type GoVerdict, goVerdictsFile, readGoVerdicts } from "../support/go-verdicts";
import { certificateCases } from "./certificate-cases";
import { host } from "../support/certificate-der";
import { askGo, judgedAt } from "./go-verdicts";

let asked: Awaited<ReturnType<typeof askGo>>;
beforeAll(async () => {
  asked = await askGo(certificateCases, aFolder("verdicts-"));
  if (process.env["UPDATE_GOLDEN"] !== "1") return;
  const table = { go: asked.go, name: host, now: judgedAt, rows: asked.rows };
  writeFileSync(goVerdictsFile, `${JSON.stringify(table, undefined, 2)}\n`);
});

const shown = ({ title, go, go123 }: GoVerdict) => ({ title, go, go123 });

test("Go says what is recorded of certificates of the same kinds", () => {
  expect(asked.rows.map(shown)).toEqual(readGoVerdicts().rows.map(shown));
});

test("the product takes and refuses new certificates as Go does", () => {
  const verdicts = certificateCases.map(({ title, served, bundle }, index) => {
    const trusted = asked.rows[index]?.bundle ?? asked.rows[index]?.served ?? "";
    const found = rootsIn(trusted);
    const problem =
      "problem" in found
        ? found.problem
        : judgeServed({ served, roots: found.roots, name: host, now: Date.parse(judgedAt) });
    return { title, isOwn: bundle === undefined, taken: problem === undefined };
  });
  expect(verdicts).toEqual(
    asked.rows.map(({ title, bundle, go }) => ({
      ...{ title, isOwn: bundle === undefined, taken: go === "accepted" },
    })),
  );
});
