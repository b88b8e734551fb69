import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { Installation } from '../processes/installation.ts'
import { it as ofProgram } from '../processes/it.ts'
import { environmentOf } from '../processes/new-stores.ts'

/** The user of the service. Where the tests do not run as root, there is only one user. */
const SERVICE_USER = process.getuid?.() === 0 ? 65_534 : undefined
const SECRETS_WORDS =
  /(^|\n)gatehouse: \S+\/secrets\.json cannot be read; it must belong to the user who runs the service: change its owner[^\n]*\n$/

/** `program` runs as root, in the data folder of the service. */
const it = ofProgram.extend<{ service: Installation }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  service: async ({}, use) => {
    await using service = new Installation(undefined, SERVICE_USER)
    await use(service)
  },
})

describe('commands that root runs in the data folder of the user of the service', () => {
  it('leave that user the owner of every file, so that the service starts again', async ({ program, service }) => {
    await service.run(['prepare'])
    const shards = ['apac-1', 'weur-1', 'oc-1', 'apac-2']
    const { SHARDS = '' } = environmentOf(shards, (id) => join(service.dataDir, `${id}.sqlite`))
    const env = { DATA_DIR: service.dataDir, SHARDS }

    const exported = await program.run(['export', '-'], env)
    const added = await program.run(['shards', 'add', 'apac-2'], env)

    assert.deepEqual([exported.code, added.code], [0, 0])
    assertOwned(service)
    await service.serve({ SHARDS })
  })

  it('prepare and restore for that user', async ({ program, service }) => {
    await using other = new Installation(undefined, SERVICE_USER)
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-archive-'))
    const archive = join(folder, 'archive.tar.gz')

    const prepared = await program.run(['prepare'], { DATA_DIR: service.dataDir })
    const written = await program.run(['backup', archive], { DATA_DIR: service.dataDir })
    const restored = await program.run(['restore', archive], { DATA_DIR: other.dataDir })

    rmSync(folder, { recursive: true })
    assert.deepEqual([prepared.code, written.code, restored.code], [0, 0, 0])
    for (const each of [service, other]) assertOwned(each)
    await service.serve()
  })

  it('a lock that cannot be written is one line, and doctor names the file', async ({ service }) => {
    await service.run(['prepare'])
    const lock = join(service.dataDir, 'serve.lock')
    writeFileSync(lock, '')
    chmodSync(lock, 0o400)

    const doctor = await service.run(['doctor'])
    const { code, stderr } = await service.run(['serve'], { LOG_FORMAT: 'json' })

    assert.equal(code, 1)
    assert.match(stderr, /\ngatehouse: \S+\/serve\.lock cannot be written; [^\n]*change its owner[^\n]*\n$/)
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, /^wrong +data folder +\S+\/serve\.lock /m)
  })

  it('a data folder that this user cannot read or open is never reported as empty, and each command says what to do', async ({
    service,
  }) => {
    await service.run(['prepare'])
    const archive = `${service.dataDir}.tar.gz`
    const commands = [['serve'], ['shards', 'list']]
    for (const { mode, words } of [
      { mode: 0o300, words: commands },
      { mode: 0o000, words: [...commands, ['backup', archive]] },
    ]) {
      chmodSync(service.dataDir, mode)

      const doctor = await service.run(['doctor'])
      const others = await Promise.all(words.map((command) => service.run(command, { LOG_FORMAT: 'json' })))

      chmodSync(service.dataDir, 0o700)
      assert.match(
        doctor.stdout,
        /^wrong +data folder +\S+ cannot be read and written by this user; run this as its owner/m,
      )
      assert.doesNotMatch(doctor.stdout, /does not exist|gatehouse prepare/)
      for (const { stderr } of others) {
        assert.match(stderr, /(^|\n)gatehouse: [^\n]* this user; run this as [^\n]*\n$/)
        assert.doesNotMatch(stderr, /does not exist|nothing to back up|open to other users/)
      }
    }
  })

  it('secrets that the service cannot read are one line that says whose they must be', async ({ service }) => {
    await service.run(['prepare'])
    chmodSync(join(service.dataDir, 'secrets.json'), 0)

    const { code, stderr } = await service.run(['serve'], { LOG_FORMAT: 'json' })

    assert.equal(code, 1)
    assert.match(stderr, SECRETS_WORDS)
  })
})

function assertOwned({ dataDir }: Installation): void {
  const owners = new Set(readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).uid))
  assert.deepEqual([...owners], [statSync(dataDir).uid])
}
