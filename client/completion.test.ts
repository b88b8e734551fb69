import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { findExecutable } from '../test/processes/executable.ts'
import { shellEnvironment } from '../test/processes/program.ts'
import { hasTerminal, Screen } from '../test/processes/terminal/real-terminal.ts'
import type { Terminal } from '../test/processes/terminal/terminal.ts'
import { it, SCOPE } from '../test/service/command-line.ts'
import { temporaryFolder } from '../test/service/temporary-folder.ts'

const run = promisify(execFile)
const TAB = '\t'
const LINE_START = '\x01'

const COMPLETED_FILES = [
  { typed: 'gatehouse restore no', shown: /gatehouse restore notes\\ of\\ ann\.md/ },
  { typed: 'gatehouse request a POST /api/x --input no', shown: /--input notes\\ of\\ ann\.md/ },
  { typed: 'gatehouse request a POST /api/x -F text=@no', shown: /-F text=\\?@notes\\ of\\ ann\.md/ },
]
const COMPLETED_IN_ZSH = [
  { typed: 'gatehouse disc', shown: /\ngatehouse disconnect\r/ },
  {
    typed: 'gatehouse connect a https://x account:profile:',
    shown: /account:profile:read +account:profile:write/,
  },
  {
    typed: 'gatehouse connect a https://x account:profile:read,account:cr',
    shown: /\ngatehouse connect a https:\/\/x account:profile:read,account:credits:read\r/,
  },
  ...COMPLETED_FILES,
]

describe('completion', () => {
  it('offers commands, names, methods, flags and scopes where they belong', async ({ peer, connected }) => {
    await connected.run(`connect preview ${peer.url} ${SCOPE}`)

    for (const [words, expected] of [
      ['re', ['request']],
      ['status ', ['preview', 'prod']],
      ['request pro', ['prod']],
      ['request --silent --name pro', ['prod']],
      ['request prod PO', ['POST']],
      ['request -H A:b prod GET ', ['/api/']],
      ['status --', ['--help', '--name', '--check', '--json']],
      ['connect ', []],
      ['completion f', ['fish']],
      // Completes the last scope of a list, and offers none twice.
      ['connect a https://x account:profile:read,account:p', ['account:profile:read,account:profile:write']],
      ['connect --scopes config:ai:', ['config:ai:read', 'config:ai:write']],
    ] as const)
      assert.deepEqual(await offered(connected, words), expected, words)
  })

  it('works in a real bash, also after the colons of a scope', async () => {
    const script = `
      source <(gatehouse completion bash)
      ask() { COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDBREAKS=$' \\t\\n"=:' ; _gatehouse; echo "\${COMPREPLY[*]}"; }
      ask 'gatehouse disc'
      ask 'gatehouse connect a https://x account:profile:'
      ask 'gatehouse connect a https://x account:profile:read,account:cr'`

    const { stdout } = await run('bash', ['-c', script], { env: shellEnvironment })

    assert.deepEqual(stdout.trimEnd().split('\n'), ['disconnect', 'read write', 'credits:read'])
  })

  it.skipIf(!hasTerminal)(
    'completes file names in a real bash if it has nothing of its own to offer (needs a terminal)',
    async () => {
      const startUp = 'PS1="> "; cd ~; source <(gatehouse completion bash)'
      await typedInto('bash', startUp, ': ', COMPLETED_FILES)
    },
  )

  it.skipIf(!findExecutable('zsh') || !hasTerminal)(
    'works in a real zsh, as it is typed (needs zsh and a terminal)',
    async () => {
      const startUp = 'autoload -U compinit; compinit -u; cd ~; source <(gatehouse completion zsh)'
      await typedInto('zsh', startUp, 'print -r -- ', COMPLETED_IN_ZSH)
    },
  )

  it.skipIf(!findExecutable('fish'))('works in a real fish (needs fish)', async () => {
    const script = `
      cd ~
      gatehouse completion fish | source
      complete -C 'gatehouse disc'
      complete -C 'gatehouse connect a https://x account:profile:'
      complete -C 'gatehouse connect a https://x account:profile:read,account:cr'
      complete -C 'gatehouse restore no'
      complete -C 'gatehouse request prod POST /api/x -F text=@no'`

    const env = { ...shellEnvironment, HOME: await homeWithNotes() }
    const { stdout } = await run('fish', ['-c', script], { env })

    assert.deepEqual(stdout.trimEnd().split('\n'), [
      'disconnect',
      ...['account:profile:read', 'account:profile:write', 'account:profile:read,account:credits:read'],
      ...['notes of ann.md', 'text=@notes of ann.md'],
    ])
  })
})

async function homeWithNotes(): Promise<string> {
  const home = temporaryFolder()
  await writeFile(join(home, 'notes of ann.md'), '')
  return home
}

/** Types into a real shell; `before` comes in front of each completed line, so that it is shown and not run. */
async function typedInto(shell: string, startUp: string, before: string, lines: typeof COMPLETED_FILES) {
  const home = await homeWithNotes()
  await writeFile(join(home, `.${shell}rc`), startUp)
  const env = { ...shellEnvironment, HOME: home, TERM: 'dumb' }
  const screen = new Screen(spawn('script', ['-qefc', `${shell} -i`, '/dev/null'], { env }))
  for (const { typed, shown } of lines) {
    screen.type(`${typed}${TAB}${LINE_START}${before}\n`)
    await screen.shows(shown)
  }
  screen.type('exit\n')
  assert.equal(await screen.ended(), 0)
}

async function offered(terminal: Terminal, words: string): Promise<string[]> {
  const { out } = await terminal.run(['completion', '--candidates', '--', ...words.split(' ')])
  return out.split('\n').filter((line) => line !== '')
}
