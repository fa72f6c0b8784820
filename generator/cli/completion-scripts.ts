/** The shells for which there is a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A shell with a completion script. */
export type Shell = (typeof SHELLS)[number];

/**
 * The script that makes a shell ask `<program> complete -- <words>` for completions. It prints one a line, with a tab
 * before the description. Where it prints none, the shell completes the names of files.
 */
export function completionScript(program: string, shell: Shell): string {
  return SCRIPTS[shell](program).trim();
}

const SCRIPTS: Readonly<Record<Shell, (program: string) => string>> = {
  bash: (program) => `
_${program}_completion() {
  local IFS=$'\\n'
  COMPREPLY=($(${program} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _${program}_completion ${program}
`,
  zsh: (program) => `
#compdef ${program}
_${program}() {
  local -a completions
  completions=("\${(@f)$(${program} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${completions[1]}" ]]; then
    completions=("\${(@)completions//$'\\t'/:}")
    _describe ${program} completions
  else
    _files
  fi
}
# Zsh calls the function if it loads this file itself; a shell that reads it at startup registers it.
if [[ "\${funcstack[1]}" == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`,
  fish: (program) => `
function __${program}_completion
    set -l current (commandline -ct)
    set -l words (commandline -opc) "$current"
    set -l completions (${program} complete -- $words[2..-1] 2>/dev/null)
    if test (count $completions) -gt 0
        printf '%s\\n' $completions
    else
        __fish_complete_path "$current"
    end
end
complete -c ${program} -f -a '(__${program}_completion)'
`,
};
