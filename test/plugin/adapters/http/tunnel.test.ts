import { goesDirect } from "../../../../plugin/adapters/http/tunnel";

describe("NO_PROXY", () => {
  test.each<[string, string, boolean]>([
    ["", "https://a.test", false],
    [" , ,", "https://a.test", false],
    ["", "https://localhost:6443", true],
    ["", "https://127.3.2.1", true],
    ["", "https://[::1]", true],
    ["*", "https://a.test", true],
    ["b.test, *", "https://a.test", true],
    ["a.test", "https://a.test", true],
    ["A.Test", "https://a.test", true],
    ["a.test", "https://sub.a.test", true],
    ["a.test", "https://ba.test", false],
    [".a.test", "https://sub.a.test", true],
    [".a.test", "https://a.test", false],
    ["*.a.test", "https://sub.a.test", true],
    ["*.a.test", "https://a.test", false],
    ["a.test:6443", "https://a.test:6443", true],
    ["a.test:6443", "https://a.test", false],
    ["a.test:443", "https://a.test", true],
    ["a.test:80", "http://a.test", true],
    [":443", "https://a.test", false],
    ["10.1.2.3", "https://10.1.2.3", true],
    ["10.1.2.3", "https://10.1.2.4", false],
    ["10.1.2.3:443", "https://10.1.2.3", true],
    ["10.1.2.3", "https://a.test", false],
    ["0.3", "https://10.1.0.3", false],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/8", "https://a.test", false],
    ["10.0.0.0/33", "https://10.1.2.3", false],
    ["10.0.0.0/x", "https://10.1.2.3", false],
    ["a.test/8", "https://10.1.2.3", false],
    ["fd00::/8", "https://[fd12::1]", true],
    ["fd00::1", "https://[fd00:0:0::1]", true],
    ["[fd00::1]:443", "https://[fd00::1]", true],
    ["[fd00::1]:444", "https://[fd00::1]", false],
    ["fd00::/8", "https://10.1.2.3", false],
  ])("%j for %s: direct is %s", (noProxy, url, expected) => {
    expect(goesDirect(new URL(url), noProxy)).toBe(expected);
  });
});
