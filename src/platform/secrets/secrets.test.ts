import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { describe, test } from 'vitest'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { prepareSecrets, readSecrets, secretsFile } from './secrets.ts'

const it = test.extend<{ readonly config: Parameters<typeof prepareSecrets>[0] }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  config: async ({}, use) => use({ dataDir: temporaryFolder(), authSecret: undefined, configEncryptionKey: undefined }),
})

describe('secrets', () => {
  it('are made once, readable by the owner alone, and stay the same', async ({ config }) => {
    const made = await prepareSecrets(config)
    const again = await prepareSecrets(config)

    assert.deepEqual([again, (await stat(secretsFile(config.dataDir))).mode & 0o777], [made, 0o600])
    assert.deepEqual(await readdir(config.dataDir), ['secrets.json'])
  })

  it('are the same for twenty processes that prepare at once', async ({ config }) => {
    const made = await Promise.all(Array.from({ length: 20 }, () => prepareSecrets(config)))

    assert.equal(new Set(made.map((secrets) => JSON.stringify(secrets))).size, 1)
    assert.deepEqual(await readdir(config.dataDir), ['secrets.json'])
  })

  it('from the environment come first and need no file', async ({ config: bare }) => {
    const config = { ...bare, authSecret: 'a'.repeat(40), configEncryptionKey: 'b'.repeat(64) }

    const secrets = await prepareSecrets(config)

    assert.equal(secrets.authSecret, 'a'.repeat(40))
    assert.deepEqual(await readdir(config.dataDir), [])
  })

  it('readable by others are closed to them', async ({ config }) => {
    await prepareSecrets(config)
    await chmod(secretsFile(config.dataDir), 0o644)

    await readSecrets(config)

    assert.equal((await stat(secretsFile(config.dataDir))).mode & 0o777, 0o600)
  })

  it('that are damaged or missing are reported in one line, and never replaced silently', async ({ config }) => {
    await assert.rejects(
      readSecrets(config),
      /secrets\.json cannot be read; check DATA_DIR, or run `gatehouse prepare` first/,
    )
    await writeFile(secretsFile(config.dataDir), '{"authSecret":', { mode: 0o600 })
    await assert.rejects(prepareSecrets(config), /secrets\.json is damaged/)
  })

  it('in a folder or a pipe are refused at once', async ({ config }) => {
    const file = secretsFile(config.dataDir)

    await mkdir(file)
    await assert.rejects(prepareSecrets(config), /secrets\.json is not a file; restore it from a backup/)
    await rm(file, { recursive: true })
    execFileSync('mkfifo', [file])
    await assert.rejects(readSecrets(config), /secrets\.json is not a file; restore it from a backup/)
  })
})
