/** The lines that every executable of the plugin has to answer, with nothing on its PATH. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { run } from "../control-plane/run";

interface Smoke {
  readonly args: readonly string[];
  readonly code: number;
  readonly out?: RegExp;
  readonly err?: RegExp;
}

const nobody = `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: u, user: { token: none } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`;

const unreachable = { code: 69, err: /cannot reach the API server https:\/\/127\.0\.0\.1:1/ };

const rows: Readonly<Record<string, Smoke>> = {
  "nothing typed": { args: [], code: 0, out: /^Upgrade Engine Enterprise/ },
  "the help": { args: ["--help"], code: 0, out: /Troubleshooting Commands:/ },
  "the help of a command": { args: ["upgrade-webhook", "--help"], code: 0, out: /without a gap/ },
  "the help of a nested command": { args: ["cert", "create", "--help"], code: 0, out: /key pair/ },
  "the flags of all": { args: ["options"], code: 0, out: /--kubeconfig=FILE/ },
  "the version": { args: ["version", "--client"], code: 0, out: new RegExp(`: v${version}\n`) },
  "the version as JSON": {
    args: ["version", "--client", "-o", "json"],
    code: 0,
    out: /"node": "26\./,
  },
  "bash completion": { args: ["completion", "bash"], code: 0, out: /complete -F/ },
  "zsh completion": { args: ["completion", "zsh"], code: 0, out: /#compdef/ },
  "fish completion": { args: ["completion", "fish"], code: 0, out: /complete -c/ },
  "powershell completion": { args: ["completion", "powershell"], code: 0, out: /Register-/ },
  "another shell's completion": { args: ["completion", "tcsh"], code: 2, err: /is not one of/ },
  "what completes a word": { args: ["__complete", "up"], code: 0, out: /upgrade-operator\t/ },
  "an explanation": { args: ["explain", "SECRET-MISSING"], code: 0, out: /Cause:/ },
  "an unknown code": { args: ["explain", "NOPE"], code: 2, err: /not a finding code/ },
  "an unknown flag": { args: ["--bad"], code: 2, err: /unknown flag: --bad/ },
  "an unknown command": { args: ["frobnicate"], code: 2, err: /unknown command/ },
  "no kubeconfig": { args: ["check", "--kubeconfig", "none"], code: 2, err: /no such file/ },
  "a status of nobody": { args: ["status", "--kubeconfig", "nobody"], ...unreachable },
  "a swap at nobody": { args: ["upgrade-webhook", "--kubeconfig", "nobody"], ...unreachable },
  "a recovery of nobody": { args: ["recover", "--kubeconfig", "nobody"], ...unreachable },
  "the rehearsal": { args: ["rehearse"], code: 0, out: /Done: the rehearsal ended/ },
  "the rehearsed upgrade": { args: ["rehearse", "upgrade"], code: 0, out: /Done: the rehearsal/ },
  "the rehearsal as JSON": { args: ["rehearse", "-o", "json"], code: 0, out: /"Rehearsal"/ },
};

/** How to call the executable, and what a rehearsal has to be told besides. */
export interface Caller {
  readonly file: string;
  readonly before?: readonly string[];
  readonly rehearsal?: readonly string[];
  readonly home: string;
}

/** Defines a test for each line. */
export function smoke(caller: () => Caller): void {
  test.each(Object.entries(rows))("%s", async (_name, { args, code, out = /^/, err = /^/ }) => {
    const { file, before = [], rehearsal = [], home } = caller();
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "nobody"), nobody);
    const more = args[0] === "rehearse" ? rehearsal : [];
    const env = { PATH: "", HOME: home };
    const ran = await run(file, [...before, ...args, ...more], { env, cwd: home });
    expect(ran).toEqual({
      code,
      stdout: expect.stringMatching(out) as string,
      stderr: expect.stringMatching(err) as string,
    });
  });
}
