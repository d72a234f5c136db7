import { inTurn } from "../../../plugin/rehearsal/virtual-clock";

test("the second begins when the first has ended, however it ended", async () => {
  const turn = inTurn();
  const course: string[] = [];
  let fail: (reason: Error) => void = () => {};
  const first = turn(
    () =>
      new Promise<never>((_, reject) => {
        course.push("first begins");
        fail = reject;
      }),
  );
  const second = turn(() => {
    course.push("second begins");
    return Promise.resolve("its answer");
  });
  await new Promise(setImmediate);
  expect(course).toEqual(["first begins"]);
  fail(new Error("its own"));
  await expect(first).rejects.toThrow("its own");
  expect(await second).toBe("its answer");
});
