import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { type Cluster, startCluster } from '../../postgres/cluster.ts'
import { command } from '../../postgres/databases.ts'
import { findExecutable } from '../../processes/executable.ts'
import { after, before, describe, it } from '../../running/node-test.ts'
import { join, untilSo } from '../support/replicated.ts'
import { wireTo } from '../support/wire.ts'

/** After which a statement without an answer is given up, whatever the connection does. */
const STATEMENT_LIMIT_MILLISECONDS = 12_000

const limit = () => pause(STATEMENT_LIMIT_MILLISECONDS, 'the limit of a statement', { ref: false })

let cluster: Cluster

before(async () => {
  cluster = await startCluster({ replicas: 0 })
  await command(cluster.primary.url(), 'create table counter (id bigint primary key, value bigint not null)')
})

after(() => cluster.stop())

describe('a primary that crashes under load', () => {
  it('loses no acknowledged write, answers "unavailable" while it is gone, and needs no restart of ours', async () => {
    await using process = join(cluster.primary.url(), [])
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
    await cluster.primary.kill()
    await untilSo('all are refused', async () => refused > 100)
    await cluster.primary.start()
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
})

describe('a primary that falls silent', () => {
  it('is treated as down within seconds, and delays no shutdown', async () => {
    await using wire = await wireTo(cluster.primary.port)
    const process = join(wire.through(cluster.primary.url()), [])
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
})

const openssl = findExecutable('openssl')

describe('TLS', { skip: openssl ? false : 'openssl is not installed' }, () => {
  let folder: string
  let authority: string

  before(async () => {
    folder = mkdtempSync(joinPath(tmpdir(), 'gatehouse-tls-'))
    authority = certificate('server')
    const { primary } = cluster
    const key = primary.place('server.key', readFileSync(joinPath(folder, 'server.key'), 'utf8'))
    const chain = primary.place('server.crt', readFileSync(authority, 'utf8'))
    const rules = primary.place('hba.conf', 'hostssl all all 127.0.0.1/32 trust\n')
    await primary.stop()
    await primary.start(['ssl=on', `ssl_cert_file=${chain}`, `ssl_key_file=${key}`, `hba_file=${rules}`])
  })

  after(() => rmSync(folder, { recursive: true }))

  function certificate(name: string): string {
    const file = (extension: string) => joinPath(folder, `${name}.${extension}`)
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const flags = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
    execFileSync(openssl ?? '', [...flags, '-keyout', file('key'), '-out', file('crt')], { stdio: 'pipe' })
    return file('crt')
  }

  function storeWith(options: Readonly<Record<string, string>>): Store<unknown> {
    const url = `${cluster.primary.url()}?${new URLSearchParams(options)}`
    return new Store(new PostgresEngine('meta', { url }))
  }

  it('is used if the address asks for it, and the server is verified', async () => {
    await using store = disposable(storeWith({ sslmode: 'verify-full', sslrootcert: authority }))

    await store.ping()
  })

  it('refuses a server with another authority’s certificate, and a connection without TLS', async () => {
    const other = certificate('other')
    await using misled = disposable(storeWith({ sslmode: 'verify-full', sslrootcert: other }))
    await using plain = disposable(storeWith({ sslmode: 'disable' }))

    await assert.rejects(misled.ping(), StoreUnavailable)
    await assert.rejects(plain.ping(), StoreUnavailable)
  })
})

function disposable<T extends Store<unknown>>(store: T): T & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}
