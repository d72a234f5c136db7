/** The module commands on the command line: help, and flags that are wrong. */
import { expectGoldenText } from "../../support/golden";
import { typed } from "../../support/program-world";

test.each([
  ["modules", ["modules"], "help-modules.txt"],
  ["modules list", ["modules", "list", "--help"], "help-modules-list.txt"],
  ["modules in-use", ["help", "modules", "in-use"], "help-modules-in-use.txt"],
  ["modules install", ["modules", "install", "-h"], "help-modules-install.txt"],
])("%s shows its help on stdout and ends with 0", async (_, argv, file) => {
  const { code, out, err } = await typed(argv);
  expectGoldenText(file, out);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test.each([
  ["modules install without a file", ["modules", "install"], "FILE"],
  ["modules list with an argument", ["modules", "list", "x"], "x"],
  ["a misspelt command of the group", ["modules", "in-us"], "in-use"],
  ["a target that is no engine version", ["modules", "in-use", "--target=8.0.2-2"], "--target"],
  ["an address with a path", ["modules", "list", "--api-url=https://a/v1"], "--api-url"],
  ["an address with a login", ["modules", "list", "--api-url=https://a:b@c"], "--api-url"],
])("%s ends with 2", async (_, argv, named) => {
  const { code, err, out } = await typed(argv);
  expect(code).toBe(2);
  expect(out + err).toContain(named);
});

test("all problems are named at once", async () => {
  const { err, out } = await typed([
    ...["modules", "in-use", "--target=x", "--api-url=ftp://a", "--api-ca=a", "--api-insecure"],
  ]);
  for (const flag of ["--target", "--api-url", "--api-ca and --api-insecure"]) {
    expect(out + err).toContain(flag);
  }
});
