// Each completes file names if the program has nothing to offer at the cursor.

// bash breaks words at ":" and "="; the words are cut from the line instead, and the part before the last
// colon, which bash keeps by itself, is removed from the candidates. It treats "@" as the start of a host name.
const bash = `_gatehouse() {
  local words line="\${COMP_LINE:0:COMP_POINT}"
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  local current="\${words[-1]}" kept="" candidate
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && kept="\${current%:*}:"
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("\${candidate#"$kept"}")
  done < <(gatehouse completion --candidates -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
  if [[ \${#COMPREPLY[@]} -eq 0 && $current == *=@* ]]; then
    compopt -o filenames -o nospace
    mapfile -t COMPREPLY < <(compgen -f -P @ -- "\${current##*=@}")
  fi
  return 0
}
complete -o default -F _gatehouse gatehouse`

const zsh = `#compdef gatehouse
_gatehouse() {
  local -a candidates
  candidates=(\${(f)"$(gatehouse completion --candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#candidates )); then compadd -- $candidates; return; fi
  compset -P '*[=@]'
  _files
}
if [[ $funcstack[1] == _gatehouse ]]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi`

const fish = `function __gatehouse_candidates
  set -l words (commandline --tokens-expanded --cut-at-cursor 2>/dev/null; or commandline -opc)
  set -l current (commandline -ct)
  set -l found (gatehouse completion --candidates -- $words[2..-1] $current 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
    return
  end
  set -l before (string match --regex '^(?:.*[=@])?' -- $current)
  for path in (__fish_complete_path (string replace --regex '^.*[=@]' '' -- $current))
    echo $before$path
  end
end
complete -c gatehouse -f -a '(__gatehouse_candidates)'`

export const shells: Readonly<Record<string, string>> = { bash, zsh, fish }
