import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { Installation } from '../processes/installation.ts'
import { runProgram } from '../processes/program.ts'

/** The user of the service. Where the tests do not run as root, there is only one user. */
const SERVICE_USER = process.getuid?.() === 0 ? 65_534 : undefined

describe('commands that root runs in the data folder of the user of the service', () => {
  it('leave that user the owner of every file, so that the service starts again', async () => {
    await using service = new Installation(undefined, SERVICE_USER)
    await service.run(['prepare'])
    const env = { DATA_DIR: service.dataDir, SHARDS: shardsIn(service.dataDir, ['apac-1', 'apac-2']) }

    const exported = await runProgram(['export', '-'], env)
    const added = await runProgram(['shards', 'add', 'apac-2'], env)

    assert.deepEqual([exported.code, added.code], [0, 0])
    assert.deepEqual(ownersIn(service.dataDir), [statSync(service.dataDir).uid])
    await service.serve({ SHARDS: env.SHARDS })
  })

  it('prepare and restore for that user', async () => {
    await using service = new Installation(undefined, SERVICE_USER)
    await using other = new Installation(undefined, SERVICE_USER)
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-archive-'))
    const archive = join(folder, 'archive.tar.gz')

    const prepared = await runProgram(['prepare'], { DATA_DIR: service.dataDir })
    const written = await runProgram(['backup', archive], { DATA_DIR: service.dataDir })
    const restored = await runProgram(['restore', archive], { DATA_DIR: other.dataDir })

    rmSync(folder, { recursive: true })
    assert.deepEqual([prepared.code, written.code, restored.code], [0, 0, 0])
    for (const { dataDir } of [service, other]) assert.deepEqual(ownersIn(dataDir), [statSync(dataDir).uid])
    await service.serve()
  })

  it('a lock that cannot be written is one line, and doctor names the file', async () => {
    await using service = new Installation(undefined, SERVICE_USER)
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

  it('a data folder that this user cannot read or open is never said to be empty, and each command says what to do', async () => {
    await using service = new Installation(undefined, SERVICE_USER)
    await service.run(['prepare'])
    const archive = join(service.dataDir, 'archive.tar.gz')
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

  it('secrets that the service cannot read are one line that says whose they must be', async () => {
    await using service = new Installation(undefined, SERVICE_USER)
    await service.run(['prepare'])
    chmodSync(join(service.dataDir, 'secrets.json'), 0)

    const { code, stderr } = await service.run(['serve'], { LOG_FORMAT: 'json' })

    assert.equal(code, 1)
    assert.match(
      stderr,
      /(^|\n)gatehouse: \S+\/secrets\.json cannot be read; it must belong to the user who runs the service: change its owner[^\n]*\n$/,
    )
  })
})

function shardsIn(folder: string, ids: readonly string[]): string {
  const known = ['apac-1', 'weur-1', 'oc-1']
  const all = [...new Set([...known, ...ids])]
  return all.map((id) => `${id}:${id.replace(/-\d$/, '')}=${join(folder, `${id}.sqlite`)}`).join(',')
}

function ownersIn(folder: string): readonly number[] {
  return [...new Set(readdirSync(folder).map((name) => statSync(join(folder, name)).uid))]
}
