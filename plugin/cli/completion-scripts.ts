/**
 * `completion SHELL`: the script for a shell. The scripts hold no words of their own: they call
 * the hidden `__complete`, whose answer has the form that kubectl expects of a plugin too.
 */
import type { CommandRun } from "../cmdutil/context";

// the line is split here, since bash's own words break at "=" and ":" too
const bash = `# bash completion for kubectl-engine
_kubectl_engine() {
  local typed="\${COMP_LINE:0:COMP_POINT}" current answer line breaks head=
  local -a words
  read -ra words <<<"$typed"
  [[ "$typed" == *" " ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  breaks="\${COMP_WORDBREAKS//[^=:]/}"
  [[ -n "$breaks" ]] && head="\${current%"\${current##*[$breaks]}"}"
  COMPREPLY=()
  answer="$(kubectl-engine __complete "\${words[@]:1}" 2>/dev/null)" || return
  while IFS= read -r line; do
    case "$line" in
      :4) ;;
      :*) compopt -o default 2>/dev/null ;;
      *)
        line="\${line%%$'\\t'*}"
        COMPREPLY+=("\${line#"$head"}")
        ;;
    esac
  done <<<"$answer"
}
complete -F _kubectl_engine kubectl-engine
`;

const zsh = `#compdef kubectl-engine
_kubectl_engine() {
  local -a candidates
  local line files=1
  for line in "\${(@f)$(kubectl-engine __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :4) files=0 ;;
      :*) ;;
      *) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( \${#candidates} )) && _describe 'kubectl-engine' candidates
  (( files )) && _files
}
if [ "$funcstack[1]" = "_kubectl-engine" ]; then _kubectl_engine "$@"; else compdef _kubectl_engine kubectl-engine; fi
`;

const fish = `# fish completion for kubectl-engine
function __kubectl_engine_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answer (kubectl-engine __complete $words[2..-1] 2>/dev/null)
  test "$answer[-1]" = ":4"; or __fish_complete_path (commandline -ct)
  printf '%s\\n' $answer | string match -v -r '^:'
end
complete -c kubectl-engine -f -a '(__kubectl_engine_complete)'
`;

const powershell = `# PowerShell completion for kubectl-engine
Register-ArgumentCompleter -Native -CommandName kubectl-engine -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') { $words += '""' }
  kubectl-engine __complete @words 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
    $candidate, $help = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($candidate, $candidate, 'ParameterValue', "$help ")
  }
}
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell };

/** The script for a shell, whose name was judged by the program. */
export function completionScript([shell = ""]: readonly string[]): string {
  return scripts[shell] ?? "";
}

/** All that the command prints as text; nothing for what has to run. */
export function completionText(args: readonly string[]): string | undefined {
  return args.length === 1 ? scripts[String(args[0])] : undefined;
}

/** `details` of the script's document. */
export interface CompletionDetails {
  readonly shell: string;
  readonly script: string;
}

/** The same in a document. */
export const runCompletion: CommandRun<object> = (_context, [shell = ""]) =>
  Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Completion",
    details: { shell, script: completionScript([shell]) },
    exit: { code: 0, reason: `completion script for ${shell}` },
  });

/** The program that kubectl looks for on the PATH and runs for each word of `kubectl engine`. */
export function kubectlCompletion(platform: string) {
  const name = "kubectl_complete-engine";
  return platform === "win32"
    ? { name: `${name}.cmd`, text: "@kubectl-engine __complete %*\r\n" }
    : { name, text: '#!/bin/sh\nexec kubectl-engine __complete "$@"\n' };
}
