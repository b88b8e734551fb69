import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startPeer } from '../test/peer-server.ts'
import { shellEnvironment } from '../test/program.ts'
import { openTerminal, type Terminal } from '../test/terminal.ts'

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

  for (const { shell, ask } of [
    {
      shell: 'zsh',
      ask: [
        '-fc',
        'autoload -U compinit; compinit -u; source <(gatehouse completion zsh); whence -w _gatehouse',
      ],
    },
    { shell: 'fish', ask: ['-c', 'gatehouse completion fish | source; complete -C "gatehouse disc"'] },
  ]) {
    it(`loads in a real ${shell}`, async (test) => {
      const home = await mkdtemp(join(tmpdir(), 'gatehouse-shell-'))
      try {
        const { stdout } = await run(shell, ask, { env: { ...shellEnvironment, HOME: home } })
        assert.match(stdout, /_gatehouse: function|disconnect/)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
        test.skip(`${shell} is not on this machine`)
      } finally {
        await rm(home, { recursive: true })
      }
    })
  }
})

async function offered(terminal: Terminal, ...words: string[]): Promise<string[]> {
  const { out } = await terminal.run(['completion', '--candidates', '--', ...words])
  return out.split('\n').filter((line) => line !== '')
}
