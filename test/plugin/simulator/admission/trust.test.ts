/** Chains of certificates, judged as Go judges them. */
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import type { X509Certificate } from "node:crypto";
import { judgePeer, readRoots } from "../../../../plugin/simulator/admission/trust";
import { sign, type Signed } from "./authority";

const name = "admission.engine.svc";
const hour = 60 * 60_000;
const root = sign({ commonName: "root" });
const middle = sign({ commonName: "middle" }, root);
const leafOfRoot = sign({ commonName: "leaf", names: [name], usage: "serverAuth" }, root);
const leafOfMiddle = sign({ commonName: "leaf", names: [name] }, middle);
const expiredRoot = sign({ commonName: "root", until: Date.now() - hour });
const notAuthority = sign({ commonName: "plain", names: ["plain"] });
const unverified = "tls: failed to verify certificate:";
const unknown = "x509: certificate signed by unknown authority";
const because = (why: string, whom: string): string =>
  `${unknown} (possibly because of ${JSON.stringify(why)} while trying to verify candidate authority certificate "${whom}")`;

/** The certificate as a client sees it, together with those that came along. */
async function peerOf(...chain: readonly Signed[]): Promise<X509Certificate> {
  const [leaf] = chain;
  const cert = chain.map(({ certPem }) => certPem).join("\n");
  const server = createServer({ cert, key: leaf?.keyPem ?? "" });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = await new Promise<TLSSocket>((resolve) => {
    const made: TLSSocket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(made);
    });
  });
  const peer = socket.getPeerX509Certificate();
  socket.destroy();
  server.close();
  if (peer === undefined) throw new Error("a server without a certificate");
  return peer;
}

interface Row {
  readonly title: string;
  readonly sent: readonly Signed[];
  readonly bundle: readonly Signed[];
  readonly verdict: string | undefined;
}

const rows: readonly Row[] = [
  {
    title: "signed by an authority of the bundle",
    sent: [leafOfRoot],
    bundle: [root],
    verdict: undefined,
  },
  {
    title: "signed through an authority that was sent along",
    sent: [leafOfMiddle, middle],
    bundle: [root],
    verdict: undefined,
  },
  {
    title: "signed through an authority that was not sent along",
    sent: [leafOfMiddle],
    bundle: [root],
    verdict: unknown,
  },
  {
    title: "signed by an authority that itself is no root of others",
    sent: [leafOfMiddle],
    bundle: [middle],
    verdict: undefined,
  },
  {
    title: "itself in the bundle, whoever signed it",
    sent: [leafOfMiddle],
    bundle: [leafOfMiddle],
    verdict: undefined,
  },
  {
    title: "signed by an authority that was only sent along",
    sent: [leafOfRoot, root],
    bundle: [middle],
    verdict: unknown,
  },
  {
    title: "signed by another authority of the same name",
    sent: [leafOfRoot],
    bundle: [sign({ commonName: "root" })],
    verdict: because("crypto/rsa: verification error", "root"),
  },
  {
    title: "signed by one of two authorities of the same name",
    sent: [leafOfRoot],
    bundle: [sign({ commonName: "root" }), root],
    verdict: undefined,
  },
  {
    title: "signed by what is no authority",
    sent: [sign({ commonName: "leaf", names: [name] }, notAuthority)],
    bundle: [notAuthority],
    verdict: because(
      "x509: invalid signature: parent certificate cannot sign this kind of certificate",
      "plain",
    ),
  },
  {
    title: "signed through an authority whose own authority is unknown",
    sent: [leafOfMiddle, middle],
    bundle: [sign({ commonName: "root" })],
    verdict: because("crypto/rsa: verification error", "root"),
  },
  {
    title: "for clients only",
    sent: [sign({ commonName: "leaf", names: [name], usage: "clientAuth" }, root)],
    bundle: [root],
    verdict: "x509: certificate specifies an incompatible key usage",
  },
];

const inBase64 = (pairs: readonly Signed[]): string =>
  Buffer.from(pairs.map(({ certPem }) => certPem).join("\n")).toString("base64");

test.each(rows)("a certificate $title", async ({ sent, bundle, verdict }) => {
  const peer = await peerOf(...sent);
  const expected = { name, roots: readRoots(inBase64(bundle)), now: Date.now() };
  expect(judgePeer(peer, expected)).toBe(verdict && `${unverified} ${verdict}`);
});

test("a certificate signed by an authority that has expired", async () => {
  const peer = await peerOf(sign({ commonName: "leaf", names: [name] }, expiredRoot));
  const roots = readRoots(inBase64([expiredRoot]));
  expect(judgePeer(peer, { name, roots, now: Date.now() })).toMatch(
    /^tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time [\dTZ:-]+ is after [\dTZ:-]+$/,
  );
});
