import { parseCertificateFile } from "../../../plugin/adapters/certificate";
import { UsageError } from "../../../plugin/domain/base/errors";
import { defaultNames } from "../../../plugin/domain/names/names";

const pem = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
const secret = (name: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\n  namespace: engine\ndata: {cert: x}\n`;

describe("a file is read as a Secret", () => {
  test.each([
    ["YAML", secret("mine"), "mine"],
    ["one of several documents", `kind: Service\n---\n${secret("mine")}`, "mine"],
    [
      "the named one of several",
      `${secret("mine")}---\n${secret("admission-tls")}`,
      "admission-tls",
    ],
    [
      "a list",
      `kind: List\nitems:\n- kind: Secret\n  metadata: {name: mine, namespace: engine}\n  data: {cert: x}`,
      "mine",
    ],
  ])("%s", (_name, content, name) => {
    expect(parseCertificateFile(content, defaultNames)).toEqual({
      secret: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: "engine" },
        data: { cert: "x" },
      },
    });
  });
});

describe("a file is read as PEM", () => {
  test.each([
    ["alone", pem],
    ["with text of openssl before it, which is not a YAML", `Certificate:\n\tData: a: b\n${pem}`],
  ])("%s", (_name, content) => {
    expect(parseCertificateFile(content, defaultNames)).toEqual({ pem: content });
  });
});

describe("a file is refused as unreadable", () => {
  test.each([
    ["binary", "0\u0082\u0003\u0000", "neither a PEM certificate nor a Secret"],
    [
      "two Secrets of other names",
      `${secret("a")}---\n${secret("b")}`,
      "2 Secrets, 0 of them named admission-tls",
    ],
    [
      "two of the name",
      `${secret("admission-tls")}---\n${secret("admission-tls")}`,
      "2 Secrets, 2 of them named admission-tls",
    ],
  ])("%s", (_name, content, message) => {
    const read = () => parseCertificateFile(content, defaultNames);

    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
  });
});
