/** Commands that write over the REST API, with an API server or a REST API that stops answering. */
import { rows, wrongOf } from "../support/hanging-rest";

jest.setTimeout(1_800_000);

test.each(rows.map(({ title }) => title))(
  "%s: a run ends in time and says what was written, and the next one reaches the goal",
  async (title) => {
    expect(await wrongOf(title)).toEqual([]);
  },
);
