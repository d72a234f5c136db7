/** The help of `status`, whole. */
import { expectGoldenText } from "../../support/golden";
import { typed } from "../../support/program-world";

test("the help is the golden one", async () => {
  const { code, out } = await typed(["status", "--help"]);
  expect(code).toBe(0);
  expectGoldenText("help-status.txt", out);
});
