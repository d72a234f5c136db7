import { publicText, publicWords } from "../../../plugin/domain/public-words";

describe("the words of a command, as they are shown", () => {
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
    ["--yes", "--yes"],
  ])("%j is %j", (word, shown) => {
    expect(publicWords(["upgrade-webhook", word])).toEqual(["upgrade-webhook", shown]);
  });
});

describe("a text, as it is shown", () => {
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
  ])("%j is %j", (text, shown) => {
    expect(publicText(text)).toBe(shown);
  });
});
