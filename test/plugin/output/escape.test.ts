import { spawnSync } from "node:child_process";
import { isUnsafe, quote } from "../../../plugin/domain/base/quote";
import {
  escape,
  escapeJson,
  escapeLines,
  quoteCommand,
  renderTable,
} from "../../../plugin/output/escape";

describe("escape", () => {
  test.each([
    ["plain text", "a-b_c é 漢 👍", "a-b_c é 漢 👍"],
    ["a color", "\u001b[31m", "\\x1b[31m"],
    ["C1 controls", "\u009b", "\\x9b"],
    ["line breaks and tabs", "a\nb\r\tc", "a\\nb\\r\\tc"],
    ["text that runs backwards", "\u202eabc", "\\u202eabc"],
    ["tag characters", "\u{e0041}", "\\u{e0041}"],
    ["half a character", "\ud800", "\\ud800"],
  ])("%s", (_, text, expected) => {
    expect(escape(text)).toBe(expected);
    expect(isUnsafe(text)).toBe(text !== expected);
  });

  test("lines stay where lines are wanted", () => {
    expect(escapeLines("a\r\nb\u001b\nc")).toBe("a\nb\\x1b\nc");
  });

  test("JSON keeps its meaning", () => {
    const value = { "k\u202e": "\u007f\u{e0041}\ud800\n" };
    const text = escapeJson(JSON.stringify(value, undefined, 2));
    expect(text).toMatch(/^[\n\x20-\x7e]+$/);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe("quote", () => {
  test.each([
    ["a word", "kubectl", "kubectl"],
    ["a flag with a value", "--context=kind@x:1", "--context=kind@x:1"],
    ["a home directory's sign", "~root", "'~root'"],
    ["a quote", "it's", "'it'\\''s'"],
    ["an assignment of zsh", "=ls", "'=ls'"],
    ["a line break", "a\nb", "$'a\\012b'"],
    ["a color", "\u001b'é", "$'\\033\\047\\303\\251'"],
  ])("%s", (_, word, expected) => {
    expect(quote(word)).toBe(expected);
  });

  test("a shell reads back the very words", () => {
    const words = [
      "a b",
      "$HOME",
      "`id`",
      "it's",
      "é",
      "a\nb",
      "\u001b[0m",
      "",
      "*",
      "\\",
      "-n",
      "!",
    ];
    const script = `printf '%s\\0' ${quoteCommand(words)}`;
    const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stdout.split("\0").slice(0, -1)).toEqual(words);
  });
});

describe("a table", () => {
  test.each([0, 1, 200_000])("of %i rows has a line for each", (count) => {
    const rows = Array.from({ length: count }, (_, at) => [String(at), "ok"]);
    const lines = renderTable(["NAME", "RESULT"], rows);
    expect(lines).toHaveLength(count + 1);
    expect(lines[0]).toMatch(/^NAME +RESULT$/);
  });
});
