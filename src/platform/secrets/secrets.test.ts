import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from '../../../test/running/node-test.ts'
import { prepareSecrets, readSecrets, secretsFile } from './secrets.ts'

describe('secrets', () => {
  it('are made once, readable by the owner alone, and stay the same', async (t) => {
    const config = await freshFolder(t)

    const made = await prepareSecrets(config)
    const again = await prepareSecrets(config)

    assert.deepEqual(again, made)
    assert.equal((await stat(secretsFile(config.dataDir))).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(config.dataDir), ['secrets.json'])
  })

  it('are the same for twenty processes that prepare at once', async (t) => {
    const config = await freshFolder(t)

    const made = await Promise.all(Array.from({ length: 20 }, () => prepareSecrets(config)))

    assert.equal(new Set(made.map((secrets) => JSON.stringify(secrets))).size, 1)
    assert.deepEqual(await readdir(config.dataDir), ['secrets.json'])
  })

  it('from the environment come first and need no file', async (t) => {
    const folder = await freshFolder(t)
    const config = { ...folder, authSecret: 'a'.repeat(40), configEncryptionKey: 'b'.repeat(64) }

    const secrets = await prepareSecrets(config)

    assert.equal(secrets.authSecret, 'a'.repeat(40))
    assert.deepEqual(await readdir(config.dataDir), [])
  })

  it('readable by others are closed to them', async (t) => {
    const config = await freshFolder(t)
    await prepareSecrets(config)
    await chmod(secretsFile(config.dataDir), 0o644)

    await readSecrets(config)

    assert.equal((await stat(secretsFile(config.dataDir))).mode & 0o777, 0o600)
  })

  it('that are damaged or missing are one line for the operator, and never replaced silently', async (t) => {
    const config = await freshFolder(t)

    await assert.rejects(
      readSecrets(config),
      /secrets\.json cannot be read; check DATA_DIR, or run `gatehouse prepare` first/,
    )
    await writeFile(secretsFile(config.dataDir), '{"authSecret":', { mode: 0o600 })
    await assert.rejects(prepareSecrets(config), /secrets\.json is damaged/)
  })

  it('in a folder or a pipe are refused at once', async (t) => {
    const config = await freshFolder(t)
    const file = secretsFile(config.dataDir)

    await mkdir(file)
    await assert.rejects(prepareSecrets(config), /secrets\.json is not a file; restore it from a backup/)
    await rm(file, { recursive: true })
    execFileSync('mkfifo', [file])
    await assert.rejects(readSecrets(config), /secrets\.json is not a file; restore it from a backup/)
  })
})

async function freshFolder(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'))
  t.after(() => rm(dataDir, { recursive: true }))
  return { dataDir, authSecret: undefined, configEncryptionKey: undefined }
}
