import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { connected } from '../../test/processes/connected.ts'
import { startPeer } from '../../test/processes/peer-server.ts'

const NOT_A_FILE = 'is not a file; remove it or give it another name'

const KINDS: Readonly<Record<string, (path: string) => unknown>> = {
  'a named pipe': (path) => execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdir(path),
  'a socket': (path) => new Promise<void>((resolve) => listenAt(path, resolve)),
}

const REQUEST = ['request', 'prod', 'POST', '/api/x']

describe('in the place of a file of the client', () => {
  for (const [kind, make] of Object.entries(KINDS)) {
    it(`${kind} is refused by name: as a connection, a bookmark and a lock`, async () => {
      for (const [inner, ...commands] of [
        ['connections/prod.json', ['status', 'prod'], REQUEST, ['disconnect', 'prod']],
        ['bookmarks/prod', REQUEST],
        ['locks/prod', ['disconnect', 'prod']],
      ] as const) {
        await using peer = await startPeer()
        await using terminal = await connected(peer)
        const path = join(terminal.folder, inner)
        await rm(path, { force: true })
        await make(path)
        for (const command of commands) {
          const { code, err } = await terminal.run(command)

          assert.deepEqual({ code, err }, { code: 1, err: `gatehouse: ${path} ${NOT_A_FILE}\n` })
        }
        await lstat(path)
      }
    })
  }

  it('a folder is not removed, and a link that leads to itself does not hide the other connections', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const at = (name: string) => join(terminal.folder, 'connections', name)
    await mkdir(at('folder.json'))
    await symlink(at('loop.json'), at('loop.json'))

    const removing = await terminal.run(['disconnect', 'folder', '--local-only'])
    const { code, out, err } = await terminal.run(['status'])

    assert.equal(removing.err, `gatehouse: ${at('folder.json')} ${NOT_A_FILE}\n`)
    assert.equal(code, 1)
    assert.match(out, /^folder\n {2}Broken.*\n\nloop\n {2}Broken.*\n\nprod\n {2}Server/)
    assert.match(
      err,
      /^gatehouse: \S+folder\.json is not a file.*\ngatehouse: \S+loop\.json can't be read \(.+\)\n$/,
    )
  })

  it('a lock that another program has written to is named', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const lock = join(terminal.folder, 'locks/prod')
    await writeFile(lock, 'not a lock '.repeat(1_000))

    const { code, err } = await terminal.run(['disconnect', 'prod'])

    assert.deepEqual(
      { code, err },
      { code: 1, err: `gatehouse: ${lock} is not a lock of this program; remove it\n` },
    )
  })

  it('a file where a folder should be is named in one line', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const folder = join(terminal.folder, 'connections')
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    await chmod(folder, 0o600)

    const { code, err } = await terminal.run(['status'])

    assert.equal(code, 1)
    assert.match(
      err,
      /^gatehouse: connections can't be kept in \S+ \(it is not a folder\); set GATEHOUSE_CONFIG_DIR/,
    )
  })
})

function listenAt(path: string, listening: () => void): void {
  const server = createServer()
  server.unref()
  server.listen(path, listening)
}

describe('a connection whose file was changed', () => {
  for (const change of [
    { server: 'javascript:alert(1)' },
    { server: 'http://gatehouse.example.com' },
    { server: 'https://ann:secret@gatehouse.example.com' },
    { access_token: 'a\nb' },
    { access_token: '' },
  ]) {
    it(`to ${JSON.stringify(change)} is broken, sends nothing, and hides no other`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      await terminal.run(['connect', 'other', peer.url, 'account:profile:read'])
      const file = join(terminal.folder, 'connections/prod.json')
      await rewrite(file, change)

      const shown = await terminal.run(['status', '--check'])
      const sent = await terminal.run(REQUEST)
      const removed = await terminal.run(['disconnect', 'prod', '--local-only'])

      assert.match(shown.out, /^other\n.* {2}Checked {2}the server accepts it\n\nprod\n {2}Broken/s)
      for (const { code, err } of [shown, sent]) {
        assert.equal(code, 1)
        assert.equal(
          err,
          `gatehouse: ${file} cannot be read; \`gatehouse disconnect prod --local-only\` removes it\n`,
        )
      }
      assert.deepEqual(peer.heardAt('/api/x'), [])
      assert.equal(removed.code, 0)
    })
  }

  for (const access_expires_at of [1e300, -1e300, 'tomorrow', '']) {
    it(`to end at ${JSON.stringify(access_expires_at)} is shown without its end, and works`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      await rewrite(join(terminal.folder, 'connections/prod.json'), { access_expires_at })

      const shown = await terminal.run(['status'])

      assert.match(shown.out, /^prod\n.* {2}Expires {2}unknown\n$/s)
      assert.equal((await terminal.run(REQUEST)).code, 0)
    })
  }

  for (const bookmark of ['a\nb', '\u0000', 'é', '', 'a'.repeat(100_000)]) {
    it(`to have the bookmark ${JSON.stringify(bookmark).slice(0, 12)} sends none`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      await terminal.run(REQUEST)
      await writeFile(join(terminal.folder, 'bookmarks/prod'), bookmark, { mode: 0o600 })

      const { code } = await terminal.run(REQUEST)

      assert.equal(code, 0)
      assert.equal(peer.heard.at(-1)?.headers['x-db-meta-bookmark'], undefined)
    })
  }
})

async function rewrite(file: string, change: object): Promise<void> {
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }))
}
