import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { it, SCOPE } from '../../test/service/command-line.ts'

const bookmark = 'x-db-meta-bookmark'

describe('credentials', () => {
  it('of a client that is killed as it writes are complete and not locked', async ({ connected }) => {
    const file = join(connected.folder, 'connections/prod.json')

    for (const chunksBefore of [1, 2, 3]) {
      const writer = spawn(process.execPath, ['--input-type=module', '-e', endlessWriter], {
        cwd: import.meta.dirname,
        env: { GATEHOUSE_CONFIG_DIR: connected.folder },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      for (let chunks = 0; chunks < chunksBefore; chunks++) await once(writer.stdout, 'data')
      writer.kill('SIGKILL')
      await once(writer, 'close')

      assert.equal(JSON.parse(await readFile(file, 'utf8')).name, 'prod')
      assert.equal((await connected.run('request prod POST /api/x')).code, 0)
    }
    await connected.run('disconnect prod')
    assert.deepEqual(await readdir(join(connected.folder, 'connections')), [])
  })

  it('are named by their file, whatever is inside', async ({ connected }) => {
    const at = (name: string) => join(connected.folder, 'connections', name)
    await copyFile(at('prod.json'), at('copy.json'))

    const { out } = await connected.run('status copy --json')

    assert.equal(JSON.parse(out).name, 'copy')
  })

  it('are stored below XDG_CONFIG_HOME, else below the home folder', async ({ peer, terminal }) => {
    const home = terminal.folder

    await terminal.run(`connect prod ${peer.url} ${SCOPE}`, {
      env: { GATEHOUSE_CONFIG_DIR: '', XDG_CONFIG_HOME: join(home, 'xdg') },
    })
    await terminal.run(`connect prod ${peer.url} ${SCOPE}`, {
      env: { GATEHOUSE_CONFIG_DIR: '', HOME: home },
    })

    await readFile(join(home, 'xdg/gatehouse/connections/prod.json'))
    const own = process.platform === 'darwin' ? 'Library/Application Support' : '.config'
    await readFile(join(home, own, 'gatehouse/connections/prod.json'))
  })
})

describe('the bookmark', () => {
  it('after two requests at once leads to the primary, because neither is later', async ({ peer, connected }) => {
    peer.next('/api/slow', 'hold')
    peer.next('/api/quick', { headers: { [bookmark]: 'of-the-quick' }, body: {} })
    const held = peer.hears('/api/slow')
    const slow = connected.run('request prod POST /api/slow')
    await held

    await connected.run('request prod POST /api/quick')
    peer.release('/api/slow', { headers: { [bookmark]: 'of-the-slow' }, body: {} })
    await slow
    await connected.run('request prod POST /api/next')

    assert.equal(peer.heard.at(-1)?.headers[bookmark], 'first-primary')
  })

  it('does not outlive its connection', async ({ peer, connected }) => {
    peer.next('/api/x', { headers: { [bookmark]: 'mark' }, body: {} })
    await connected.run('request prod POST /api/x')

    await connected.run(`connect prod ${peer.url} ${SCOPE} --force`)
    await connected.run('request prod POST /api/x')

    assert.equal(peer.heard.at(-1)?.headers[bookmark], undefined)
  })
})

/** Saves without end under the lock, and says so each time. */
const endlessWriter = `
  import { withConnectionLock, getConnection, saveConnection } from './credentials.ts'
  import { environment } from '../../src/config/config.ts'
  import { openProcessIo } from '../terminal/process-io.ts'
  const io = openProcessIo(environment())
  for (;;) await withConnectionLock(io, 'prod', async () => {
    saveConnection(io, getConnection(io, 'prod'))
    process.stdout.write('.')
  })`
