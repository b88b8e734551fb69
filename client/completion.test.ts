import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findExecutable } from '../test/processes/executable.ts'
import { startPeer } from '../test/processes/peer-server.ts'
import { shellEnvironment } from '../test/processes/program.ts'
import { hasTerminal, Screen } from '../test/processes/terminal/real-terminal.ts'
import { openTerminal, type Terminal } from '../test/processes/terminal/terminal.ts'
import { describe, it } from '../test/running/node-test.ts'

const run = promisify(execFile)

describe('completion', () => {
  it('offers commands, connection names, methods, flags and scopes where they belong', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, 'account:profile:read'])
    await terminal.run(['connect', 'preview', peer.url, 'account:profile:read'])

    assert.deepEqual(await offered(terminal, 're'), ['request'])
    assert.deepEqual(await offered(terminal, 'status', ''), ['preview', 'prod'])
    assert.deepEqual(await offered(terminal, 'request', 'pro'), ['prod'])
    assert.deepEqual(await offered(terminal, 'request', '--silent', '--name', 'pro'), ['prod'])
    assert.deepEqual(await offered(terminal, 'request', 'prod', 'PO'), ['POST'])
    assert.deepEqual(await offered(terminal, 'request', '-H', 'A: b', 'prod', 'GET', ''), ['/api/'])
    assert.deepEqual(await offered(terminal, 'status', '--'), ['--help', '--name', '--check', '--json'])
    assert.deepEqual(await offered(terminal, 'connect', ''), [])
    assert.deepEqual(await offered(terminal, 'completion', 'f'), ['fish'])
  })

  it('completes the last scope of a list and offers none twice', async () => {
    await using terminal = await openTerminal()

    assert.deepEqual(await offered(terminal, 'connect', 'a', 'https://x', 'account:profile:read,account:p'), [
      'account:profile:read,account:profile:write',
    ])
    assert.deepEqual(await offered(terminal, 'connect', '--scopes', 'config:ai:'), [
      'config:ai:read',
      'config:ai:write',
    ])
  })

  it('prints a script for bash, zsh and fish, and for nothing else', async () => {
    await using terminal = await openTerminal()

    for (const shell of ['bash', 'zsh', 'fish'])
      assert.equal((await terminal.run(['completion', shell])).code, 0)
    assert.equal((await terminal.run(['completion', 'tcsh'])).code, 2)
    assert.equal((await terminal.run(['completion'])).code, 2)
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

  it('completes file names in a real bash if it has nothing of its own to offer', async (test) => {
    if (!hasTerminal) return test.skip('a terminal is not on this machine')
    const home = await homeWithNotes()
    await writeFile(join(home, '.bashrc'), 'PS1="> "; cd ~; source <(gatehouse completion bash)')
    const env = { ...shellEnvironment, HOME: home, TERM: 'dumb' }
    const screen = new Screen(spawn('script', ['-qefc', 'bash -i', '/dev/null'], { env }))

    for (const { typed, shown } of completedFiles) {
      screen.type(`${typed}${TAB}${LINE_START}: \n`)
      await screen.shows(shown)
    }
    screen.type('exit\n')

    assert.equal(await screen.ended(), 0)
    await rm(home, { recursive: true })
  })

  it('works in a real zsh, as it is typed', async (test) => {
    if (!findExecutable('zsh') || !hasTerminal) return test.skip('zsh or a terminal is not on this machine')
    const home = await homeWithNotes()
    await writeFile(
      join(home, '.zshrc'),
      'autoload -U compinit; compinit -u; cd ~; source <(gatehouse completion zsh)',
    )
    const env = { ...shellEnvironment, HOME: home, TERM: 'dumb' }
    const screen = new Screen(spawn('script', ['-qefc', 'zsh -i', '/dev/null'], { env }))

    for (const { typed, shown } of [
      { typed: 'gatehouse disc', shown: /\ngatehouse disconnect\r/ },
      {
        typed: 'gatehouse connect a https://x account:profile:',
        shown: /account:profile:read +account:profile:write/,
      },
      {
        typed: 'gatehouse connect a https://x account:profile:read,account:cr',
        shown: /\ngatehouse connect a https:\/\/x account:profile:read,account:credits:read\r/,
      },
      ...completedFiles,
    ]) {
      screen.type(`${typed}${TAB}${LINE_START}print -r -- \n`)
      await screen.shows(shown)
    }
    screen.type('exit\n')

    assert.equal(await screen.ended(), 0)
    await rm(home, { recursive: true })
  })

  it('works in a real fish', async (test) => {
    if (!findExecutable('fish')) return test.skip('fish is not on this machine')
    const home = await homeWithNotes()
    const script = `
      cd ~
      gatehouse completion fish | source
      complete -C 'gatehouse disc'
      complete -C 'gatehouse connect a https://x account:profile:'
      complete -C 'gatehouse connect a https://x account:profile:read,account:cr'
      complete -C 'gatehouse restore no'
      complete -C 'gatehouse request prod POST /api/x -F text=@no'`

    const { stdout } = await run('fish', ['-c', script], { env: { ...shellEnvironment, HOME: home } })

    assert.deepEqual(stdout.trimEnd().split('\n'), [
      'disconnect',
      'account:profile:read',
      'account:profile:write',
      'account:profile:read,account:credits:read',
      'notes of ann.md',
      'text=@notes of ann.md',
    ])
    await rm(home, { recursive: true })
  })
})

const completedFiles = [
  { typed: 'gatehouse restore no', shown: /gatehouse restore notes\\ of\\ ann\.md/ },
  { typed: 'gatehouse request a POST /api/x --input no', shown: /--input notes\\ of\\ ann\.md/ },
  { typed: 'gatehouse request a POST /api/x -F text=@no', shown: /-F text=\\?@notes\\ of\\ ann\.md/ },
]

async function homeWithNotes(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-shell-'))
  await writeFile(join(home, 'notes of ann.md'), '')
  return home
}

const TAB = '\t'
const LINE_START = '\x01'

async function offered(terminal: Terminal, ...words: string[]): Promise<string[]> {
  const { out } = await terminal.run(['completion', '--candidates', '--', ...words])
  return out.split('\n').filter((line) => line !== '')
}
