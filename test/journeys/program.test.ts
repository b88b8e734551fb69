import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { it } from '../processes/it.ts'

const TWO_LINES = /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/

describe('gatehouse', () => {
  it('prints the administrator and the password on the first run, exactly, and never again', async ({ program }) => {
    const first = await program.run(['prepare'])
    const second = await program.run(['prepare'], { SYSTEM_EMAIL: 'other@example.com' })

    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, TWO_LINES)
    assert.deepEqual([second.code, second.stdout], [0, ''])
    const rows = program.rows('meta', `select email from "user" where role = 'administrator'`)
    assert.deepEqual(rows, [{ email: 'admin@example.com' }])
    assert.equal(statSync(join(program.dataDir, 'secrets.json')).mode & 0o777, 0o600)
  })

  it('serve prepares, says where pages and data are, takes heads of up to 32 KiB, and on SIGTERM ends with 0, closes its stores and releases the data folder', async ({
    program,
  }) => {
    const life = await program.serve()
    const statuses = []
    for (const length of [32_000, 32_768]) {
      const headers = { 'x-filler': 'x'.repeat(length) }
      statuses.push((await life.request('/api/health', { headers })).status)
    }

    const { code, stdout, stderr } = await life.end('SIGTERM')

    assert.deepEqual([...statuses, code], [200, 431, 0])
    assert.match(stdout, TWO_LINES)
    for (const words of [life.url, program.dataDir, '"signal":"SIGTERM","msg":"Gatehouse stops"'])
      assert.ok(stderr.includes(words), words)
    assert.ok(readFileSync(join(program.dataDir, 'secrets.json'), 'utf8').length > 0)
    for (const name of ['serve.pid', 'meta.sqlite-wal'])
      assert.equal(existsSync(join(program.dataDir, name)), false, name)
  })
})
