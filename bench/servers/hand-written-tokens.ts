import { generateKeyPairSync, hash, randomBytes, sign, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

// The least that a token endpoint can do: node:http, prepared statements, three tables without an index beside
// their keys, one durable commit for all requests of a turn, and Node's own signature. No other grant, event,
// audit entry, user, log, metrics, limits, bookmark or error messages.
const database = new DatabaseSync(process.env.DATABASE_FILE ?? '')
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists code (hash text primary key, client text, user text, redirect_uri text, challenge text,
    nonce text, expires_at integer, used_at integer) without rowid;
  create table if not exists access_token (hash text primary key, client text, user text, expires_at integer)
    without rowid;
  create table if not exists refresh_token (hash text primary key, client text, user text, expires_at integer)
    without rowid`)
const use = database.prepare(
  `update code set used_at = ? where hash = ? and client = ? and redirect_uri = ? and challenge = ? and used_at is null
     and expires_at > ? returning user, nonce`,
)
const access = database.prepare('insert into access_token values (?, ?, ?, ?)')
const refresh = database.prepare('insert into refresh_token values (?, ?, ?, ?)')
const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]

const { privateKey } = generateKeyPairSync('ed25519')
const HEAD = Buffer.from('{"alg":"EdDSA","kid":"one","typ":"JWT"}').toString('base64url')
const secrets = new Map(['shop', 'worker'].map((id) => [id, sha256('secret')]))
let waiting: (() => () => void)[] = []

createServer((request, response) => {
  if (request.url === '/') return response.end()
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (part: string) => {
    body += part
  })
  request.on('end', () => {
    const client = clientOf(request)
    const form = new URLSearchParams(body)
    inNextCommit(
      () => (client === undefined ? undefined : tokens(client, form)),
      (given) => {
        const text = JSON.stringify(given ?? { error: 'invalid_request' })
        response.writeHead(given ? 200 : 400, {
          'content-type': 'application/json',
          'cache-control': 'no-store',
          'content-length': Buffer.byteLength(text),
        })
        response.end(text)
      },
    )
  })
}).listen(Number(process.env.PORT), '127.0.0.1')

/** The writes of one turn of the event loop share a commit, and each response follows it. */
function inNextCommit<Given>(write: () => Given, answer: (given: Given) => void): void {
  if (waiting.length === 0) {
    setImmediate(() => {
      const all = waiting
      waiting = []
      begin.run()
      const written = all.map((each) => each())
      commit.run()
      for (const each of written) each()
    })
  }
  waiting.push(() => {
    const given = write()
    return () => answer(given)
  })
}

function clientOf({ headers }: IncomingMessage): string | undefined {
  const [id = '', secret = ''] = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64')
    .toString()
    .split(':')
  const known = secrets.get(id)
  return known && timingSafeEqual(Buffer.from(known), Buffer.from(sha256(secret))) ? id : undefined
}

function tokens(client: string, form: URLSearchParams) {
  const now = Date.now()
  const token = randomBytes(32).toString('base64url')
  const given = { access_token: token, token_type: 'Bearer', expires_in: 900 }
  if (form.get('grant_type') === 'client_credentials') {
    access.run(sha256(token), client, null, now + 900_000)
    return { ...given, scope: 'admin:users:read' }
  }
  const challenge = sha256(form.get('code_verifier') ?? '')
  const row = use.get(now, sha256(form.get('code') ?? ''), client, form.get('redirect_uri'), challenge, now)
  if (!row) return undefined
  const next = randomBytes(32).toString('base64url')
  access.run(sha256(token), client, row.user ?? null, now + 900_000)
  refresh.run(sha256(next), client, row.user ?? null, now + 2_592_000_000)
  const idToken = signed({ sub: row.user, aud: client, nonce: row.nonce, now })
  return { ...given, refresh_token: next, id_token: idToken, scope: 'openid offline_access' }
}

function signed({ now, ...claims }: { readonly now: number; readonly [claim: string]: unknown }): string {
  const iat = Math.floor(now / 1000)
  const payload = JSON.stringify({ iss: 'http://localhost:5173', ...claims, iat, exp: iat + 3600 })
  const text = `${HEAD}.${Buffer.from(payload).toString('base64url')}`
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}
