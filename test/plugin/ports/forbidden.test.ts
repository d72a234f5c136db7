/** What may not be read is unknown. */
import { ApiError } from "../../../plugin/domain/base/errors";
import { isForbidden, unlessForbidden } from "../../../plugin/ports/forbidden";

test("only the lack of a permission gives the other answer", async () => {
  const forbidden = new ApiError("may not", { status: 403 });
  const absent = new ApiError("no such kind", { status: 404 });
  await expect(unlessForbidden(Promise.resolve("found"), "unknown")).resolves.toBe("found");
  await expect(unlessForbidden(Promise.reject(forbidden), "unknown")).resolves.toBe("unknown");
  await expect(unlessForbidden(Promise.reject(absent), "unknown")).rejects.toBe(absent);
  expect([forbidden, absent, new Error("403")].map(isForbidden)).toEqual([true, false, false]);
});
