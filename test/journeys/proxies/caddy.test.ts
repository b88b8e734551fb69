import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'
import { findExecutable } from '../../processes/executable.ts'
import { shipped } from './started-proxy.ts'

const caddy = findExecutable('caddy')
const file = fileURLToPath(new URL('../../../deploy/Caddyfile', import.meta.url))

describe('deploy/Caddyfile', () => {
  it('has each block on lines of its own, as Caddy reads them', async () => {
    const lines = (await shipped('Caddyfile')).split('\n').filter((line) => !/^\s*#/.test(line))

    assert.deepEqual(
      lines.filter((line) => /\{.*\S|\S\s*\}/.test(line.trim())),
      [],
    )
  })

  it.skipIf(caddy === undefined)(
    'is understood by Caddy, and the headers are cleared before it asks who the caller is (needs caddy)',
    async () => {
      const { stdout } = await promisify(execFile)(caddy ?? '', ['adapt', '--config', file])

      const verify = '/api/verify?scope=account:profile:read\\u0026redirect=sign-in'
      const steps = ['X-User-*', 'X-Auth-*', verify, 'Cookie', '127.0.0.1:8080']
      const places = steps.map((step) => stdout.indexOf(`"${step}"`))
      assert.ok(!places.includes(-1), stdout)
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      )
    },
  )
})
