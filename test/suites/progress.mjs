/** Says every ten seconds what a run is doing: a group of files is silent until its last test. */
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";

const everyMs = 10_000;

export default class Progress {
  onRunStart() {
    this.done = 0;
    this.now = new Map();
    this.from = Date.now();
    this.timer = setInterval(() => {
      const seconds = Math.round((Date.now() - this.from) / 1000);
      const files = [...new Set(this.now.values())].join(", ");
      process.stderr.write(`${seconds} s: ${this.done} tests done; now ${files || "loading"}\n`);
    }, everyMs);
    this.timer.unref();
  }

  onTestCaseStart({ path }, { ancestorTitles }) {
    this.now.set(path, ancestorTitles.find((title) => title.startsWith("test/")) ?? path);
  }

  onTestCaseResult() {
    this.done += 1;
  }

  onTestFileResult({ path }) {
    this.now.delete(path);
  }

  onRunComplete() {
    clearInterval(this.timer);
  }
}
