import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import type { MetaTables } from '../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../src/database/sqlite/engine.ts'
import { openReader } from '../../src/database/sqlite/handle.ts'
import { type Engine, Store } from '../../src/database/store.ts'
import { wireSession, wireUser } from '../../src/features/people/account/wire.ts'
import { type SessionRow, sessionOf } from '../../src/features/people/callers/find-caller.ts'
import { callerBySession } from '../../src/features/people/callers/store.ts'
import { answerHeaders } from '../../src/http/answers/answer-headers.ts'
import { tokenHash } from '../../src/rules/tokens.ts'

// What no session check of ours can do without, on Node's own server: our statement in a snapshot that a turn of
// the event loop shares, the hash, the JSON, and our headers. No framework, metrics, settings, read position or
// check of the request.
const file = join(process.env.DATA_DIR ?? '', 'meta.sqlite')
const sql = await statementOfTheCheck(new SqliteEngine('meta', file))
const reader = openReader(file)
const config = readConfig({})
const headers = Object.entries(answerHeaders(config)).flat()
const BOOKMARK = 'meta=1.0'
const COOKIE = `db_meta_bookmark=${encodeURIComponent(BOOKMARK)}; Path=/; HttpOnly; SameSite=Lax`
let isSharing = false

createServer({ keepAliveTimeout: 125_000, optimizeEmptyRequests: true }, ({ headers: { cookie = '' } }, response) => {
  const body = JSON.stringify(answerTo(cookie.slice(cookie.indexOf('session=') + 'session='.length)))
  response.writeHead(200, [
    ...headers,
    ...['x-request-id', randomUUID(), 'content-type', 'application/json', 'cache-control', 'no-store'],
    ...['x-db-meta-bookmark', BOOKMARK, 'set-cookie', COOKIE],
    ...['content-length', String(Buffer.byteLength(body))],
  ])
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')

function answerTo(token: string) {
  shareSnapshot()
  const [row] = reader.run({ sql, parameters: [tokenHash(token)] }).rows
  if (!isRow(row)) return null
  const caller = { user: row, credential: sessionOf(row), organization: undefined, actor: undefined }
  return { session: wireSession(caller), user: wireUser({ config }, row) }
}

function isRow(found: unknown): found is SessionRow {
  return typeof found === 'object' && found !== null
}

function shareSnapshot(): void {
  if (isSharing) return
  isSharing = true
  reader.exec('begin')
  setImmediate(() => {
    isSharing = false
    reader.exec('commit')
  })
}

/** The SQL of a session check, as the program sends it to this engine. */
async function statementOfTheCheck(engine: Engine): Promise<string> {
  const sent: string[] = []
  const run = engine.run.bind(engine)
  engine.run = (query, reads) => {
    sent.push(query.sql)
    return run(query, reads)
  }
  const meta = new Store<MetaTables>(engine)
  await callerBySession(meta, '')
  await meta.close()
  return sent.join()
}
