import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { onTestFinished, vi } from 'vitest'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { withClient } from '../../postgres/databases.ts'
import { findExecutable } from '../../processes/executable.ts'
import { join, onCluster, untilSo } from '../support/replicated.ts'
import { Wire } from '../support/wire.ts'

/** The time after which a statement without a response is given up, whatever the connection does. */
const STATEMENT_LIMIT_MILLISECONDS = 12_000

const limit = () => pause(STATEMENT_LIMIT_MILLISECONDS, 'the limit of a statement', { ref: false })
const it = onCluster({ replicas: 0 })
const openssl = findExecutable('openssl')

it('a primary that crashes under load loses no acknowledged write, is "unavailable" while it is gone, and needs no restart of ours', async ({
  primary,
}) => {
  await using process = join(primary.url(), [])
  const acknowledged = new Map<number, number>()
  let refused = 0
  let writing = true

  const visitor = async (id: number) => {
    while (writing) {
      try {
        acknowledged.set(id, (await process.write(FIRST_PRIMARY, id)).value)
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable)
        refused++
      }
    }
  }
  const load = Promise.all(Array.from({ length: 8 }, (_, id) => visitor(id)))
  await untilSo('all write', async () => acknowledged.size === 8)
  await primary.kill()
  await untilSo('all are refused', async () => refused > 100)
  await primary.start()
  const atRestart = new Map(acknowledged)
  await untilSo('all write again', async () =>
    [...atRestart].every(([id, value]) => (acknowledged.get(id) ?? 0) > value),
  )
  writing = false
  await load

  for (const [id, value] of acknowledged) {
    const seen = await process.read(FIRST_PRIMARY, id)
    assert.ok((seen.value ?? 0) >= value)
  }
})

it('a primary that falls silent is treated as down within seconds, and delays no shutdown', async ({ primary }) => {
  await using wire = await Wire.to(primary.port)
  const process = join(wire.through(primary.url()), [])
  await process.write(FIRST_PRIMARY, 100)

  wire.silence()
  const statementLimit = limit()
  const first = process.write(FIRST_PRIMARY, 100)
  const nudging = untilSo('somebody is refused', () =>
    Promise.race([process.write(FIRST_PRIMARY, 100).catch(() => true), pause(300, false)]).then(Boolean),
  )
  const noticed = Promise.all([assert.rejects(first, StoreUnavailable), nudging]).then(() => 'the silence')
  assert.equal(await Promise.race([noticed, statementLimit]), 'the silence')

  await assert.rejects(process.write(FIRST_PRIMARY, 100), StoreUnavailable)
  const closed = process.close().then(() => 'closed')
  assert.equal(await Promise.race([closed, limit()]), 'closed')
})

it('a statement to a primary that falls silent fails after twelve seconds, and no earlier', async ({ primary }) => {
  await using wire = await Wire.to(primary.port)
  await using process = join(wire.through(primary.url()), [], { connections: 1 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
  await process.write(FIRST_PRIMARY, 100)
  vi.advanceTimersByTime(STATEMENT_LIMIT_MILLISECONDS / 2)

  const sent = wire.swallowed('')
  let hasFailed = false
  const writing = process.write(FIRST_PRIMARY, 100).catch((error: unknown) => {
    hasFailed = true
    throw error
  })
  const failed = assert.rejects(writing, StoreUnavailable)
  await sent
  vi.advanceTimersByTime(STATEMENT_LIMIT_MILLISECONDS - 1)
  await new Promise((resolve) => setImmediate(resolve))
  const before = hasFailed
  vi.advanceTimersByTime(1)

  await failed
  assert.equal(before, false)
})

const LIMITED: readonly (readonly [string, string, 'short' | 'long', boolean])[] = [
  ['fails after twelve seconds, even if the one before it has just ended', '', 'short', false],
  ['fails after twelve seconds if its address has an empty `query_timeout`', '?query_timeout=', 'short', false],
  ['is waited for if it may take long', '', 'long', true],
  ['has the `query_timeout` that its address sets', '?query_timeout=60000', 'short', true],
]

it.for(LIMITED)('a batch that waits %s', async ([, parameters, length, isWaitedFor], { primary }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
  const engine = new PostgresEngine('meta', { url: `${primary.url()}${parameters}`, connections: 1 })
  await withClient(primary.url(), async (other) => {
    const untilWaiting = () =>
      untilSo('it waits', async () => {
        const { rows } = await other.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)
        return rows.length > 0
      })
    await other.query('select pg_advisory_lock(1), pg_advisory_lock(2)')
    const first = engine.batch([CompiledQuery.raw('select pg_advisory_xact_lock(1)')], length)
    const second = engine.batch([CompiledQuery.raw('select pg_advisory_xact_lock(2)')], length)
    const outcome = second.then(
      () => true,
      () => false,
    )
    await untilWaiting()
    vi.advanceTimersByTime(STATEMENT_LIMIT_MILLISECONDS - 1)
    await other.query('select pg_advisory_unlock(1)')
    await first
    await untilWaiting()

    vi.advanceTimersByTime(1)
    await new Promise((resolve) => setImmediate(resolve))
    await other.query('select pg_advisory_unlock(2)')

    assert.equal(await outcome, isWaitedFor)
  })
  await engine.close()
})

it.skipIf(openssl === undefined)(
  'TLS is used if the address asks for it: no other authority’s certificate, and no connection without it (needs openssl)',
  async ({ primary }) => {
    const folder = mkdtempSync(joinPath(tmpdir(), 'gatehouse-tls-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const authority = certificate(folder, 'server')
    const key = primary.place('server.key', readFileSync(joinPath(folder, 'server.key'), 'utf8'))
    const chain = primary.place('server.crt', readFileSync(authority, 'utf8'))
    const rules = primary.place('hba.conf', 'hostssl all all 127.0.0.1/32 trust\n')
    await primary.stop()
    await primary.start(['ssl=on', `ssl_cert_file=${chain}`, `ssl_key_file=${key}`, `hba_file=${rules}`])
    const ping = async (options: Readonly<Record<string, string>>) => {
      const url = `${primary.url()}?${new URLSearchParams(options)}`
      const store = new Store(new PostgresEngine('meta', { url }))
      await store.ping().finally(() => store.close())
    }

    await ping({ sslmode: 'verify-full', sslrootcert: authority })
    for (const wrong of [{ sslmode: 'verify-full', sslrootcert: certificate(folder, 'other') }, { sslmode: 'disable' }])
      await assert.rejects(ping(wrong), StoreUnavailable)
  },
)

function certificate(folder: string, name: string): string {
  const file = (extension: string) => joinPath(folder, `${name}.${extension}`)
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const flags = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
  execFileSync(openssl ?? '', [...flags, '-keyout', file('key'), '-out', file('crt')], { stdio: 'pipe' })
  return file('crt')
}
