import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findExecutable } from '../../processes/executable.ts'
import { describe, it } from '../../running/node-test.ts'

const caddy = findExecutable('caddy')
const file = fileURLToPath(new URL('../../../deploy/Caddyfile', import.meta.url))

describe('deploy/Caddyfile', () => {
  it('has each block on lines of its own, as Caddy reads them', async () => {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => !/^\s*#/.test(line))

    assert.deepEqual(
      lines.filter((line) => /\{.*\S|\S\s*\}/.test(line.trim())),
      [],
    )
  })

  it('is understood by Caddy, and the headers are cleared before it asks who the caller is', async (t) => {
    if (caddy === undefined) return t.skip('needs caddy')

    const { stdout } = await promisify(execFile)(caddy, ['adapt', '--config', file])

    const steps = [
      'X-User-*',
      'X-Auth-*',
      '/api/verify?scope=account:profile:read\\u0026redirect=sign-in',
      'Cookie',
      '127.0.0.1:8080',
    ]
    const places = steps.map((step) => stdout.indexOf(`"${step}"`))
    assert.ok(!places.includes(-1), stdout)
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
  })
})
