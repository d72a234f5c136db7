/** When answers leave, and what the failure of one does to the others. */
import { type Answering, Answers } from "../../webhook/answers";

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Wrong {
  readonly send?: boolean;
  readonly tell?: boolean;
}

/** A call that says what it does, and does it wrong where it is wished. */
function aCall(said: string[], name: string, wrong: Wrong = {}): Answering {
  const act = (what: "send" | "tell") => () => {
    said.push(`${what} ${name}`);
    if (wrong[what] === true) throw new Error(name);
  };
  return {
    send: act("send"),
    tell: act("tell"),
    fail: (error) => said.push(`fail ${(error as Error).message}`),
  };
}

test("answers of one turn are sent one after the other, and then told", async () => {
  const said: string[] = [];
  const answers = new Answers();
  answers.add(aCall(said, "a"));
  answers.add(aCall(said, "b"));
  expect(said).toEqual([]);
  await turn();
  expect(said).toEqual(["send a", "send b", "tell a", "tell b"]);
  answers.add(aCall(said, "c"));
  await turn();
  expect(said.slice(4)).toEqual(["send c", "tell c"]);
});

test.each<[string, Wrong, readonly string[]]>([
  ["sent", { send: true }, ["send a", "fail a", "send b", "tell b"]],
  ["told", { tell: true }, ["send a", "send b", "tell a", "fail a", "tell b"]],
])("one that cannot be %s fails alone", async (_name, wrong, wanted) => {
  const said: string[] = [];
  const answers = new Answers();
  answers.add(aCall(said, "a", wrong));
  answers.add(aCall(said, "b"));
  await turn();
  expect(said).toEqual(wanted);
});

test("one that comes while others leave goes with the next", async () => {
  const said: string[] = [];
  const answers = new Answers();
  const late = aCall(said, "late");
  answers.add({
    ...aCall(said, "a"),
    send: () => {
      answers.add(late);
    },
  });
  await turn();
  await turn();
  expect(said).toEqual(["tell a", "send late", "tell late"]);
});
