/** Commands that write, against an API server that stops answering at each of their requests in turn. */
import { titlesOf, wrongOf } from "../support/hanging-commands";

jest.setTimeout(1_800_000);

test.each(titlesOf("whole"))(
  "%s: a run ends in time and says what was written, and the next one reaches the goal",
  async (title) => {
    expect(await wrongOf(title)).toEqual([]);
  },
);
