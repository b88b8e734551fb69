import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe } from 'vitest'
import { it } from '../../test/service/command-line.ts'

const NOT_A_FILE = 'is not a file; remove it or give it another name'

const KINDS: Readonly<Record<string, (path: string) => unknown>> = {
  'a named pipe': (path) => execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdir(path),
  'a socket': (path) => new Promise<void>((resolve) => listenAt(path, resolve)),
}

const REQUEST = 'request prod POST /api/x'

describe('in the place of a file of the client', () => {
  it.for(Object.entries(KINDS))(
    '%s is refused by name: as a connection, a bookmark and a lock',
    async ([, make], { connected }) => {
      for (const [inner, ...commands] of [
        ['connections/prod.json', 'status prod', REQUEST, 'disconnect prod'],
        ['bookmarks/prod', REQUEST],
        ['locks/prod', 'disconnect prod'],
      ] as const) {
        const path = join(connected.folder, inner)
        const file = await readFile(path).catch(() => undefined)
        await rm(path, { force: true })
        await make(path)
        for (const command of commands) {
          const { code, err } = await connected.run(command)
          assert.deepEqual([code, err], [1, `gatehouse: ${path} ${NOT_A_FILE}\n`])
        }
        await lstat(path)
        await rm(path, { recursive: true })
        if (file) await writeFile(path, file, { mode: 0o600 })
      }
    },
  )

  it('a folder is not removed, and a link to itself hides no other connection', async ({ connected }) => {
    const at = (name: string) => join(connected.folder, 'connections', name)
    await mkdir(at('folder.json'))
    await symlink(at('loop.json'), at('loop.json'))

    const removing = await connected.run('disconnect folder --local-only')
    const { code, out, err } = await connected.run('status')

    assert.deepEqual([removing.err, code], [`gatehouse: ${at('folder.json')} ${NOT_A_FILE}\n`, 1])
    assert.match(out, /^folder\n {2}Broken.*\n\nloop\n {2}Broken.*\n\nprod\n {2}Server/)
    assert.match(err, /^gatehouse: \S+folder\.json is not a file.*\ngatehouse: \S+loop\.json can't be read \(.+\)\n$/)
  })

  it('what another program has made of a lock or a folder is named in one line', async ({ connected }) => {
    const [lock, folder] = ['locks/prod', 'connections'].map((name) => join(connected.folder, name))
    assert.ok(lock && folder)
    await writeFile(lock, 'not a lock '.repeat(1_000))
    const locked = await connected.run('disconnect prod')
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    await chmod(folder, 0o600)
    const lost = await connected.run('status')

    assert.deepEqual([locked.code, lost.code], [1, 1])
    assert.equal(locked.err, `gatehouse: ${lock} is not a lock of this program; remove it\n`)
    assert.match(
      lost.err,
      /^gatehouse: connections can't be kept in \S+ \(it is not a folder\); set GATEHOUSE_CONFIG_DIR/,
    )
  })
})

function listenAt(path: string, listening: () => void): void {
  const server = createServer()
  server.unref()
  server.listen(path, listening)
}

const CHANGES = [
  { server: 'javascript:alert(1)' },
  { server: 'http://gatehouse.example.com' },
  { server: 'https://ann:secret@gatehouse.example.com' },
  { access_token: 'a\nb' },
  { access_token: '' },
]

describe('a connection whose file was changed', () => {
  it.for(CHANGES)('to %j is broken, sends nothing, and hides no other', async (change, { peer, connected }) => {
    await connected.run(`connect other ${peer.url} account:profile:read`)
    const file = join(connected.folder, 'connections/prod.json')
    await rewrite(file, change)

    const shown = await connected.run('status --check')
    const sent = await connected.run(REQUEST)
    const removed = await connected.run('disconnect prod --local-only')

    assert.match(shown.out, /^other\n.* {2}Checked {2}the server accepts it\n\nprod\n {2}Broken/s)
    const words = `gatehouse: ${file} cannot be read; \`gatehouse disconnect prod --local-only\` removes it\n`
    for (const { code, err } of [shown, sent]) assert.deepEqual([code, err], [1, words])
    assert.deepEqual([removed.code, peer.heardAt('/api/x')], [0, []])
  })

  it('to an invalid end is shown without an end, and works', async ({ connected }) => {
    for (const access_expires_at of [1e300, -1e300, 'tomorrow', '']) {
      await rewrite(join(connected.folder, 'connections/prod.json'), { access_expires_at })
      const shown = await connected.run('status')
      assert.match(shown.out, /^prod\n.* {2}Expires {2}unknown\n$/s, `${access_expires_at}`)
      assert.equal((await connected.run(REQUEST)).code, 0)
    }
  })

  it('to have a bookmark that cannot be sent sends none', async ({ peer, connected }) => {
    await connected.run(REQUEST)
    for (const bookmark of ['a\nb', '\u0000', 'é', '', 'a'.repeat(100_000)]) {
      await writeFile(join(connected.folder, 'bookmarks/prod'), bookmark, { mode: 0o600 })
      assert.equal((await connected.run(REQUEST)).code, 0)
      assert.equal(peer.heard.at(-1)?.headers['x-db-meta-bookmark'], undefined, bookmark.slice(0, 9))
    }
  })
})

async function rewrite(file: string, change: object): Promise<void> {
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }))
}
