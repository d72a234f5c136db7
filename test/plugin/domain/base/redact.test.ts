import {
  conceal,
  publicText,
  publicWords,
  secretsIn,
  secretsInSetting,
} from "../../../../plugin/domain/base/redact";

test.each([
  ["--release=https://user:s3cr3t@host/r.tar.gz", "--release=https://host/r.tar.gz"],
  ["--release=https://host/{tag}.tar.gz?token=s3cr3t#x", "--release=https://host/{tag}.tar.gz?…"],
  ["--release=https://host/r.tar.gz#s3cr3t", "--release=https://host/r.tar.gz?…"],
  ["--release=https://host/a@b.tar.gz", "--release=https://host/a@b.tar.gz"],
  ["--release=./a?b", "--release=./a?b"],
  ["--template=https://host/a?s3cr3t", "--template=https://host/a?…"],
  ["--chart=oci://user:s3cr3t@host:5000/chart", "--chart=oci://host:5000/chart"],
  ["--server=https://[::1]:6443", "--server=https://[::1]:6443"],
  ["--server=user:s3cr3t@host:6443", "--server=host:6443"],
  ["--server=host:6443", "--server=host:6443"],
  ["--token=s3cr3t", "--token=…"],
  ["--token=a\nb", "--token=…"],
  ["--release=https://user:s3cr3t/x@host/r", "--release=https://…"],
  ["--release=https://user:s3c r3t'\"@host/r", "--release=https://host/r"],
  ["--as=oidc:alice@example.com", "--as=oidc:alice@example.com"],
  ["--as-group=https://issuer#admins", "--as-group=https://issuer#admins"],
  ["https://user:s3cr3t@host/r", "https://host/r"],
  ['{"url":"https://user:s3cr3t@host/r","b":1}', '{"url":"https://host/r","b":1}'],
  ["--set=a.b=1,c={x,y}", "--set=a.b=1,c={x,y}"],
  ["--set=a=1,auth.password=s3,cr3t,b=2", "--set=a=1,auth.password=…"],
  ["--set-string=a\\,b=1,apiKey=s3cr3t", "--set-string=a\\,b=1,apiKey=…"],
  ['--set-json=d={"a":1, "token": "s3cr3t"}', '--set-json=d={"a":1, "token":…'],
  ['--set-json={"token":"s3cr3t"}', '--set-json={"token":…'],
  ["--set=dsn=https://user:s3cr3t@host/db", "--set=dsn=https://host/db"],
  ["--yes", "--yes"],
])("the words of a command: %j is %j", (word, shown) => {
  expect(publicWords(["upgrade-webhook", word])).toEqual(["upgrade-webhook", shown]);
});

test.each([
  [
    'failed calling webhook: Post "https://admission.engine.svc:443/admission?timeout=30s": EOF',
    'failed calling webhook: Post "https://admission.engine.svc:443/admission?timeout=30s": EOF',
  ],
  ["https://host/r?timeout=30s&s3cr3t", "https://host/r?…"],
  ["no address at all", "no address at all"],
  ["cannot reach https://host:6443: refused", "cannot reach https://host:6443: refused"],
  ["see https://host/a?b=s3cr3t, or http://u:s3cr3t@x.", "see https://host/a?…, or http://x."],
  ['"https://u:s3cr3t@h/p" is none', '"https://h/p" is none'],
  ["https://h/p?a=s3cr3t#b", "https://h/p?…"],
  ["https://h/p#a?b=s3cr3t", "https://h/p?…"],
  ['User "https://issuer#alice" cannot list', 'User "https://issuer#alice" cannot list'],
  ["already https://h/p?…", "already https://h/p?…"],
])("a text: %j is %j", (text, shown) => {
  expect(publicText(text)).toBe(shown);
});

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
  expect(conceal(text, known)).toBe(left);
});

test("what helm sets may stand in a word of its own", () => {
  const words = ["helm", "--set", "image=x,password=s3cr3t", "--values", "password=f"];
  expect(publicWords(words)).toEqual(words.with(2, "image=x,password=…"));
});

test.each([
  ["a=hunter22", []],
  ["auth.password=hunter22", ["hunter22"]],
  ["a=1,auth.password=hun\\,ter22,b=longer-one", ["hun,ter22", "longer-one"]],
  ['d={"token":"hunter22"}', ["hunter22"]],
  ["apiKey={first-one,second-one}", ["first-one", "second-one"]],
  ["pass=short", []],
])("of the setting %j these are secret: %j", (text, secrets) => {
  const found = secretsInSetting(text);
  expect(found).toEqual(expect.arrayContaining([...secrets]));
  if (secrets.length === 0) expect(found).toEqual([]);
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
