/** One request at a time: a rehearsal that is repeated takes the same course, request by request. */

/** Does one thing after the other, in the order in which they were asked for. */
export type Turn = <T>(act: () => Promise<T>) => Promise<T>;

/** A queue of its own. */
export function inTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined); // a failure is its sender's alone
    return mine;
  };
}
