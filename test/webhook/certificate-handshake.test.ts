import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, type ConnectionOptions, createServer } from "node:tls";
import { tlsFloor, tryHandshake } from "../../webhook/certificate/handshake";
import { aPair } from "../support/tls";

const pair = aPair({ names: ["admission.engine.svc"] });
const expired = aPair({
  names: ["admission.engine.svc"],
  notBefore: new Date(2020, 0),
  notAfter: new Date(2021, 0),
});
const otherType = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;

const stranger = aPair({ names: ["admission.other.svc"] });
const rows = [
  ["a pair for the name", pair, { is: "fit" }],
  ["an expired pair, whose dates others judge", expired, { is: "fit" }],
  [
    "a pair for another name",
    stranger,
    {
      is: "unfit",
      because: "not made for admission.engine.svc, under which the API server calls",
    },
  ],
  [
    "a key of another type, which Node takes without a word",
    { ...pair, keyPem: otherType },
    {
      is: "failed",
      because: expect.stringMatching(/^a handshake with it fails \(\w+\)$/) as string,
    },
  ],
] as const;

test.each(rows)("%s", async (_name, { certPem: cert, keyPem: key }, seen) => {
  expect(await tryHandshake({ cert, key }, "admission.engine.svc")).toEqual(seen);
});

describe("a server with the floor", () => {
  const server = createServer({ cert: pair.certPem, key: pair.keyPem, ...tlsFloor });
  server.on("tlsClientError", () => undefined);

  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => {
    server.close();
  });

  const handshake = async (options: ConnectionOptions): Promise<string> => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options });
    try {
      await once(socket, "secureConnect");
      return socket.getCipher().standardName;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? "";
    } finally {
      socket.destroy();
    }
  };

  test.each([
    ["TLS 1.3", {}, /^TLS_AES/],
    ["TLS 1.2 with GCM", { maxVersion: "TLSv1.2" }, /^TLS_ECDHE_RSA_WITH_AES_\d+_GCM/],
    [
      "TLS 1.2 with CBC",
      { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-SHA256" },
      /HANDSHAKE_FAILURE/,
    ],
    [
      "TLS 1.1",
      { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      /PROTOCOL_VERSION/,
    ],
  ] as const)("%s", async (_name, options, seen) => {
    expect(await handshake(options)).toMatch(seen);
  });
});
