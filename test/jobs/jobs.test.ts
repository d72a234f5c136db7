/** Whatever meets a command that writes, at the writes that stand for all. */
import { entries } from "../../plugin/cli/commands";
import { hold } from "./hold";
import { excused, jobs, jobsOf, writes } from "./list";

test("a command that writes is a job, or is excused", () => {
  const writing = entries.filter(writes).map(({ path }) => path);
  const paths = Object.keys(excused);
  expect(writing.filter((path) => paths.includes(path))).toEqual(paths);
  const others = writing.filter((path) => !paths.includes(path));
  const titles = jobs.map(({ title }) => title.replace(/ \(.*$/, ""));
  expect([...new Set(titles)]).toEqual(others);
});

test("a new command that writes is a job by being in the list", () => {
  const [first] = entries.filter(({ path }) => path === "unbind-scc");
  const added = first && { ...first, path: "label-namespaces" };
  const all = jobsOf(added === undefined ? [] : [...entries, added]);
  expect(all.map(({ title }) => title)).toContain("label-namespaces");
});

test("a command that only looks is no job", () => {
  const titles = jobs.map(({ title }) => title);
  for (const path of ["status", "check", "modules list", "explain"]) {
    expect(titles).not.toContain(path);
  }
});

hold({ isEvery: false });
