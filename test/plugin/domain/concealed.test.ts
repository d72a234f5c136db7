import { concealed, secretsIn } from "../../../plugin/domain/public-words";

test.each([
  ["nothing to hide in engine-enterprise-operator-admission-webhook", [], undefined],
  ["/home/someone/charts/operator/templates/deployment/file.yaml:3", [], undefined],
  ["sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", [], undefined],
  ["pass hunter22 here", ["hunter22", ""], "pass … here"],
  ["in base64 aHVudGVyMjI=", ["hunter22"], "in base64 …"],
  ["in an address a%2Fb%3Fc", ["a/b?c"], "in an address …"],
  ["-----BEGIN PRIVATE KEY-----\nMII-x\n-----END PRIVATE KEY-----, denied", [], "…, denied"],
  ["cut -----BEGIN PRIVATE KEY-----\nMII", [], "cut …"],
  ["map[key:[45 45 45 45 45 66 69 71 73 78]]", [], "map[key:…]"],
  ["[]byte{0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x42, 0x45, 0x47}", [], "[]byte…"],
  ["data LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQUR", [], "data …"],
])("%j without %j", (text, known, left = text) => {
  expect(concealed(text, known)).toBe(left);
});

test("secrets of a chart's values are told by their keys", () => {
  const values = {
    image: { repository: "registry.example.com/x" },
    auth: { user: "someone", list: ["first-one", 7] },
    pullPassword: "hunter22",
    apiKey: "short",
  };
  expect(secretsIn([values, null])).toEqual(["someone", "first-one", "hunter22"]);
});
