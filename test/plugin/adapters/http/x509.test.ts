/** Held to what Go itself said of the same certificates (test/control-plane/go-verdicts.test.ts). */
import { readPemCertificate } from "../../../../plugin/adapters/certificate";
import { judgeServed, rootsIn } from "../../../../plugin/adapters/http/x509/judge";
import { certificateBlocks } from "../../../../plugin/adapters/http/x509/pem";
import { firstUnfit, judgeCertificate } from "../../../../plugin/domain/certificate/certificate";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { type GoVerdict, readGoVerdicts } from "../../../support/go-verdicts";
import { typed, stdinOf } from "../../../support/program-world";

const { name, now: moment, rows } = readGoVerdicts();
const now = Date.parse(moment);

function verdictOn({ served, bundle }: GoVerdict): string {
  const found = rootsIn(bundle ?? served);
  if ("problem" in found) return found.problem;
  const chain = certificateBlocks(served).map((der) => der ?? Buffer.of());
  return judgeServed({ served: chain, roots: found.roots, name, now }) ?? "accepted";
}

test.each(rows)("$title: as Go says", (row) => {
  const verdict = verdictOn(row);
  expect(verdict === "accepted").toBe(row.go === "accepted");
  // what Go's own server cannot begin with, and how it parses a URI, is told in other words
  if (/^remote error|cannot parse URI/.test(row.go)) return;
  expect(verdict).toBe(row.go);
});

test.each(rows.filter(({ go123 }) => go123 !== undefined))(
  "$title: what some Go from 1.23 on refuses is refused",
  (row) => {
    expect([row.go, row.go123]).toContain("accepted");
    expect(verdictOn(row)).not.toBe("accepted");
  },
);

const own = rows.filter(({ bundle }) => bundle === undefined);

test.each(own)("$title: the findings say so too", ({ served, go }) => {
  const facts = readPemCertificate(served);
  const findings = judgeCertificate(facts, { namespace: "engine", now, names: defaultNames });
  expect(firstUnfit(findings) === undefined).toBe(go === "accepted");
});

test.each(["for clients only", "a negative serial number", "curve P-224", "RSA 768"])(
  "cert inspect refuses a certificate %s",
  async (title) => {
    const { served = "" } = own.find((row) => row.title === title) ?? {};
    const { code, out } = await typed(["cert", "inspect", "-f", "-"], { stdin: stdinOf(served) });
    expect([code, out]).toEqual([3, expect.stringContaining("CERT-REFUSED")]);
  },
);

test("what is no certificate at all is no root, in the words of client-go", () => {
  const none = "unable to load root certificates:";
  expect(rootsIn("")).toEqual({ problem: `${none} unable to parse bytes as PEM block` });
  expect(rootsIn("-----BEGIN X-----\nAAAA\n-----END X-----\n")).toEqual({
    problem: `${none} no valid certificate authority data seen`,
  });
  expect(rootsIn("-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n")).toEqual({
    problem: `${none} failed to parse certificate: x509: malformed certificate`,
  });
});
