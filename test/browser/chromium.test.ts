import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { unpackChromium } from './support/chromium.ts'

const run = promisify(execFile)

describe('the packaged browser', () => {
  it('is whole for both of two that need it for the first time at once', async () => {
    await using opened = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-chromium-'))
    opened.defer(() => rm(folder, { recursive: true, force: true }))

    const versions = await Promise.all(
      [1, 2].map(async () => {
        const { executablePath } = await unpackChromium(folder)
        return run(executablePath, ['--version'])
      }),
    )

    for (const { stdout } of versions) assert.match(stdout, /Chromium \d+/)
    const left = await readdir(folder)
    assert.deepEqual(left.length, 1, left.join())
  })

  it('leaves nothing open when it does not start', async () => {
    const module = new URL('./support/test-browser.ts', import.meta.url)
    const script = `
      const { TestBrowser } = await import('${module}')
      await TestBrowser.launch('http://localhost:5173').catch(() => console.log('refused'))`

    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, CHROMIUM_PATH: '/nowhere/chromium' },
      timeout: 180_000,
    })

    assert.equal(stdout, 'refused\n')
  })
})
