// Preloaded (NODE_OPTIONS=--import): what runs sees the time that its environment says it is later.
import process from "node:process";

const laterMs = Number(process.env["ENGINE_TEST_LATER_MS"] ?? 0);
const Real = globalThis.Date;

globalThis.Date = class extends Real {
  constructor(...words) {
    super(...(words.length === 0 ? [Real.now() + laterMs] : words));
  }

  static now() {
    return Real.now() + laterMs;
  }
};
