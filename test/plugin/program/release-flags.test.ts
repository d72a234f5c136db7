import { withoutSecrets } from "../../../plugin/program/release-flags";

describe("the words of a line, as they are shown", () => {
  test.each([
    ["--release=https://user:s3cr3t@host/r.tar.gz", "--release=https://host/r.tar.gz"],
    ["--release=https://host/{tag}.tar.gz?token=s3cr3t#x", "--release=https://host/{tag}.tar.gz?…"],
    ["--release=https://host/r.tar.gz#s3cr3t", "--release=https://host/r.tar.gz?…"],
    ["--release=https://host/a@b.tar.gz", "--release=https://host/a@b.tar.gz"],
    ["--release=./a?b", "--release=./a?b"],
    ["--template=https://host/a?b", "--template=https://host/a?b"],
  ])("%s is %s", (word, shown) => {
    expect(withoutSecrets(["upgrade-webhook", word])).toEqual(["upgrade-webhook", shown]);
  });
});
