import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { temporaryFolder } from '../../test/service/temporary-folder.ts'
import { type Config, readConfig } from '../config/config.ts'
import { inTurn, lockDataFolder } from './data-folder.ts'

const it = test.extend<{ readonly config: Config }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  config: async ({}, use) => use(readConfig({ DATA_DIR: temporaryFolder() })),
})

describe('data folder with embedded stores', () => {
  it('belongs to one process, and the second learns its id', async ({ config }) => {
    const release = await lockDataFolder(config)

    const inUse = new RegExp(`in use by process ${process.pid}; stop it first`)
    await assert.rejects(lockDataFolder(config), inUse)

    await release()
    await (await lockDataFolder(config))()
  })

  it('of twenty at once, exactly one gets it', async ({ config }) => {
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataFolder(config)))

    const held = tries.filter((each) => each.status === 'fulfilled')
    assert.equal(held.length, 1)
    await held[0]?.value()
  })

  it('is free again when its holder was killed', async ({ config }) => {
    const holder = spawn(process.execPath, ['--input-type=module', '-e', holderProgram(config.dataDir)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    await assert.rejects(lockDataFolder(config), new RegExp(`process ${holder.pid};`))

    holder.kill('SIGKILL')
    await once(holder, 'exit')

    await (await lockDataFolder(config))()
  })

  it('is shared if every store is on PostgreSQL', async ({ config }) => {
    const remote = { ...config, databaseUrl: 'postgres://db/gate', shards: [] }

    await lockDataFolder(remote)
    await lockDataFolder(remote)
  })

  it('is prepared by one process after the other', async ({ config }) => {
    let inside = 0
    const work = async () => {
      inside++
      await nextTurn()
      return inside--
    }

    const turns = await Promise.all(Array.from({ length: 5 }, () => inTurn(config, work)))

    assert.deepEqual(turns, [1, 1, 1, 1, 1])
  })

  it('checklist 80: is closed to others, with everything in it, whatever the modes were', async ({ config }) => {
    const files = ['meta.sqlite', 'meta.sqlite-wal', 'apac-1.sqlite', 'secrets.json', 'serve.lock']
    for (const name of [...files, 'notes.txt']) await writeFile(join(config.dataDir, name), '', { mode: 0o644 })
    await mkdir(join(config.dataDir, 'outbox'), { mode: 0o755 })
    await chmod(config.dataDir, 0o755)

    await inTurn(config, async () => undefined)

    const modes = await Promise.all(['.', 'outbox', ...files].map((name) => modeOf(join(config.dataDir, name))))
    assert.deepEqual(modes, [0o700, 0o700, ...files.map(() => 0o600)])
  })

  it('that is open to others, has other files and no installation is refused and stays as it is', async () => {
    for (const other of ['hosts', 'theirs.sqlite']) {
      const dataDir = temporaryFolder()
      await writeFile(join(dataDir, other), '', { mode: 0o644 })
      await chmod(dataDir, 0o755)

      for (const use of [lockDataFolder, (config: Config) => inTurn(config, async () => undefined)])
        await assert.rejects(use(readConfig({ DATA_DIR: dataDir })), {
          name: 'OperatorError',
          message: `the data folder ${dataDir} is open to other users and has other files; set DATA_DIR to a folder for this alone`,
        })

      assert.deepEqual([await modeOf(dataDir), await modeOf(join(dataDir, other))], [0o755, 0o644])
      assert.deepEqual(await readdir(dataDir), [other])
    }
  })

  it('that has nothing but what a disk or a new home brings along is used', async ({ config }) => {
    await mkdir(join(config.dataDir, 'lost+found'))
    await writeFile(join(config.dataDir, '.profile'), '')
    await chmod(config.dataDir, 0o755)

    await (await lockDataFolder(config))()

    assert.equal(await modeOf(config.dataDir), 0o700)
  })

  it('that cannot be used is reported to the operator in one line', async ({ config: { dataDir } }) => {
    await writeFile(join(dataDir, 'file'), '')

    await assert.rejects(lockDataFolder(readConfig({ DATA_DIR: join(dataDir, 'file') })), {
      name: 'OperatorError',
      message: /is not a folder; set DATA_DIR to one$/,
    })
  })

  it('whose lock is damaged is reported as damaged, without advice about its owner', async ({ config }) => {
    await writeFile(join(config.dataDir, 'serve.lock'), 'something else '.repeat(1_000))

    await assert.rejects(lockDataFolder(config), {
      name: 'OperatorError',
      message: /serve\.lock cannot be locked$/,
    })
  })
})

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

function holderProgram(dataDir: string): string {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  return `
    const { lockDataFolder } = await import(${url('./data-folder.ts')})
    const { readConfig } = await import(${url('../config/config.ts')})
    await lockDataFolder(readConfig({ DATA_DIR: ${JSON.stringify(dataDir)} }))
    console.log('held')
    setInterval(() => {}, 60_000)
  `
}
