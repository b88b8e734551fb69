import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { unpackChromium } from './support/chromium.ts'

const run = promisify(execFile)

it('the packaged browser is whole for both of two that need it for the first time at once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-chromium-'))

  const versions = await Promise.all(
    [1, 2].map(async () => {
      const { executablePath } = await unpackChromium(folder.path)
      return run(executablePath, ['--version'])
    }),
  )

  for (const { stdout } of versions) assert.match(stdout, /Chromium \d+/)
  const left = await readdir(folder.path)
  assert.equal(left.length, 1, left.join())
})
