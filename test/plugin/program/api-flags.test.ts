import { FlagReader } from "../../../plugin/commands/flags";
import { readCommand } from "../../../plugin/commands/spec";
import { modulesList } from "../../../plugin/commands/specs/modules";

const readApi = (read: FlagReader) => readCommand(modulesList, read).api;

test.each([
  [{}, { insecure: false }],
  [{ apiUrl: "https://api.example.com" }, { url: "https://api.example.com", insecure: false }],
  [{ apiUrl: "https://[::1]:9443/" }, { url: "https://[::1]:9443/", insecure: false }],
  [{ apiCa: "ca.pem" }, { ca: "ca.pem", insecure: false }],
  [{ apiCredentialsSecret: "login" }, { credentialsSecret: "login", insecure: false }],
  [{ apiInsecure: true }, { insecure: true }],
])("%j is read", (raw, flags) => {
  const read = new FlagReader(raw);
  expect(readApi(read)).toEqual(flags);
  expect(read.problems).toEqual([]);
});

test.each([
  "http://api.example.com",
  "api.example.com",
  "https://user@api.example.com",
  "https://:secret@api.example.com",
  "https://api.example.com/v1",
  "https://api.example.com?a=b",
  "https://api.example.com#a",
  "https://",
])("%s is not an address, and is not repeated in the problem", (apiUrl) => {
  const read = new FlagReader({ apiUrl });
  readApi(read);
  expect(read.problems).toEqual([expect.stringContaining("--api-url:")]);
  expect(read.problems.join()).not.toContain("secret");
});

test("a CA and none contradict each other", () => {
  const read = new FlagReader({ apiCa: "ca.pem", apiInsecure: true });
  readApi(read);
  expect(read.problems).toEqual([expect.stringContaining("contradict")]);
});
