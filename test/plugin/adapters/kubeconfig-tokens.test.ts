import { load } from "js-yaml";
import { withTokens } from "../../../plugin/adapters/kubernetes/kubeconfig-tokens";

const old = { idToken: "old.id.token-of-a-user", refreshToken: "old-refresh-token" };
const renewed = { idToken: "new.id.token-of-a-user", refreshToken: "new-refresh-token" };

const changed = (text: string): string =>
  text.replaceAll("old.id", "new.id").replaceAll("old-refresh", "new-refresh");

const block = `users:
- name: other
  user: {token: t}
- name: me # the one
  user:
    auth-provider:
      config:
        client-id: kubectl
        id-token: old.id.token-of-a-user   # short

        refresh-token: old-refresh-token
      name: oidc
`;

describe("only the two values change", () => {
  test.each<[string, string]>([
    ["in block style with comments", block],
    ["with CRLF", block.replaceAll("\n", "\r\n")],
    ["with a byte order mark", `\uFEFF${block}`],
    ["behind three dashes and before another document", `---\n${block}---\nusers: []\n`],
    ["in quotes", block.replace(/: (old\S+)/g, ': "$1"')],
    ["in single quotes", block.replace(/: (old\S+)/g, ": '$1'")],
    [
      "in JSON",
      JSON.stringify({
        users: [
          {
            name: "me",
            user: {
              "auth-provider": {
                config: { "id-token": old.idToken, "refresh-token": old.refreshToken },
              },
            },
          },
        ],
      }),
    ],
    [
      "under an anchor",
      block
        .replace("id-token: ", "id-token: &token ")
        .replace("user: {token: t}", "user: {token: x}"),
    ],
    [
      "in a login that two users share",
      `x: &login\n  config: {id-token: ${old.idToken}, refresh-token: ${old.refreshToken}}\nusers:\n- {name: other, user: {auth-provider: *login}}\n- {name: me, user: {auth-provider: *login}}\n`,
    ],
    [
      "behind a merge key",
      `x: &common {client-id: c, id-token: ${old.idToken}, refresh-token: ${old.refreshToken}}\nusers:\n- name: me\n  user: {auth-provider: {config: {<<: *common, idp-issuer-url: u}}}\n`,
    ],
  ])("%s", (_, text) => {
    const expected = text.includes("'old")
      ? changed(text).replace(/'(new\S+)'/g, '"$1"')
      : changed(text);
    expect(withTokens(text, "me", { old, renewed })).toBe(expected);
  });

  test.each<[string, string, string]>([
    [
      "text over several lines",
      "id-token: |-\n          old.id.token-of-a-user\n",
      renewed.idToken,
    ],
    ["text folded", "id-token: >-\n          old.id.token-of-a-user\n", renewed.idToken],
  ])("%s", (_, written, expected) => {
    const text = block.replace(/id-token: .*\n/, written);
    const edited = withTokens(text, "me", { old, renewed });
    expect(edited).toBe(changed(block).replace(/id-token: .*\n/, `id-token: ${expected}\n`));
  });

  test("an alias is replaced, and what it names stays", () => {
    const text = `x: &token ${old.idToken}\n${block.replace(`id-token: ${old.idToken}`, "id-token: *token")}`;
    const edited = withTokens(text, "me", { old, renewed });
    expect(edited).toBe(`x: &token ${old.idToken}\n${changed(block)}`);
  });

  test.each<[string, string]>([
    ["in block style", block.replace(/ +id-token.*\n\n/, "")],
    [
      "in flow style",
      "users: [{name: me, user: {auth-provider: {config: {refresh-token: old-refresh-token}}}}]\n",
    ],
    [
      "in JSON",
      '{"users":[{"name":"me","user":{"auth-provider":{"config":{"refresh-token":"old-refresh-token"}}}}]}',
    ],
  ])("an ID token that was not there is put before the refresh token, %s", (_, text) => {
    const given = { ...old, idToken: undefined };
    const edited = withTokens(text, "me", { old: given, renewed });
    expect(edited).toMatch(/id-token"?: "?new\.id\.token-of-a-user/);
    expect(JSON.stringify(load(edited ?? ""))).toContain(
      '{"id-token":"new.id.token-of-a-user","refresh-token":"new-refresh-token"}'.slice(1, -1),
    );
  });

  test.each([
    "true",
    "12345678901234",
    "0x1234567890123",
    "a: b # c",
    "*alias-of-nothing",
    "2026-01-01",
  ])("a token %j that YAML would take for something else is quoted", (token) => {
    const edited = withTokens(block, "me", {
      old,
      renewed: { ...renewed, refreshToken: token },
    });
    expect(edited).toContain(`refresh-token: ${JSON.stringify(token)}\n`);
  });
});

test("tokens that somebody else has written stay", () => {
  const text = block.replace("old-refresh", "their-refresh");
  expect(withTokens(text, "me", { old, renewed })).toBe(text);
});

test.each<[string, string]>([
  ["a user that is gone", block.replace("name: me", "name: you")],
  ["no YAML", "users: [\u0000"],
])("nothing is written where there is %s", (_, text) => {
  expect(withTokens(text, "me", { old, renewed })).toBeUndefined();
});
