import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { findExecutable } from '../../processes/executable.ts'
import { assertRefused } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { startExample } from './start-example.ts'

const python = findExecutable('python3')
/** Where `scripts/clients.mjs` puts the packages of Python. */
const PYTHONPATH = fileURLToPath(new URL('../../../node_modules/.cache/clients/pip/packages', import.meta.url))
const needed = ['-c', 'import fastapi, standardwebhooks, uvicorn']
const hasFastApi =
  python !== undefined && spawnSync(python, needed, { env: { ...process.env, PYTHONPATH } }).status === 0

const STARTED = [
  { name: 'Express', command: process.execPath, args: ['hooks/express.mjs'] },
  { name: 'FastAPI', command: hasFastApi ? python : undefined, args: ['hooks/fastapi_hook.py'] },
  { name: 'Go', command: findExecutable('go'), args: ['run', 'hooks/go/main.go'] },
]

describe('examples/hooks', () => {
  it.override('options', { env: { WEBHOOK_NETWORKS: '127.0.0.0/8,::1/128' } })

  for (const { name, command, args } of STARTED)
    it.skipIf(command === undefined)(
      `${name}: lets people in with data and claims, and refuses others and unsigned questions (needs ${name})`,
      async ({ service, administrator }) => {
        service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
        await administrator.signIn()
        const { body } = await administrator.post('/api/admin/rotate_hook_secret', { hook: 'before_sign_up' })
        const url = `${await startExample(command ?? '', args, { HOOK_SECRET: body.secret, PYTHONPATH })}/hook`
        await administrator.saveSettings('hooks', {
          before_sign_up: { enabled: true, url, on_failure: 'refuse', timeout_ms: 3_000 },
        })
        const carl = stranger(service)
        const welcome = await carl.signUp()
        const blocked = await stranger(service, 'carl@blocked.example').signUp()
        const unsigned = await fetch(url, { method: 'POST', body: '{}' })

        assert.equal(welcome.status, 200)
        assert.deepEqual((await carl.post('/api/get_data')).body.public, { plan: 'free' })
        assertRefused(blocked, 'HOOK_REFUSED')
        assert.equal(unsigned.status, 401)
      },
    )
})
