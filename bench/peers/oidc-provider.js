// oidc-provider as its documentation sets up a public client with rotating refresh tokens, and an adapter
// on one SQLite file through node:sqlite, written as its example adapter is: a row a model, upserts, WAL. As with
// us, the writes of one turn of the event loop, and of the next ones while they bring more, share a durable commit,
// and each waits for it.
// ID tokens are signed with Ed25519, which is what we sign ours with.
import { createServer } from 'node:http'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import Provider from 'oidc-provider'

const { PORT, DATABASE_FILE, TOKENS_FILE, TOKENS, CODES = '0', CHALLENGE } = process.env
const database = new DatabaseSync(DATABASE_FILE)
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists model (name text, id text, payload text, grant_id text, expires_at integer, primary key (name, id));
  create index if not exists model_grant on model (grant_id)`)
const upsert = database.prepare(
  `insert into model values (?, ?, ?, ?, ?)
   on conflict (name, id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
)
const find = database.prepare('select payload, expires_at from model where name = ? and id = ?')
const consume = database.prepare(
  "update model set payload = json_set(payload, '$.consumed', ?) where name = ? and id = ?",
)
const destroy = database.prepare('delete from model where name = ? and id = ?')
const revoke = database.prepare('delete from model where grant_id = ?')
const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]
let nextCommit
let writes = 0

function write(statement, ...values) {
  nextCommit ??= newCommit()
  statement.run(...values)
  writes++
  return nextCommit
}

function newCommit() {
  begin.run()
  writes = 0
  return new Promise((resolve) => gather(4, 1, resolve))
}

function gather(turns, known, resolve) {
  setImmediate(() => {
    if (writes > known && turns > 1) return gather(turns - 1, writes, resolve)
    nextCommit = undefined
    commit.run()
    resolve()
  })
}

class Adapter {
  constructor(name) {
    this.name = name
  }
  upsert(id, payload, expiresIn) {
    const end = expiresIn ? Date.now() + expiresIn * 1000 : null
    return write(upsert, this.name, id, JSON.stringify(payload), payload.grantId ?? null, end)
  }
  async find(id) {
    const row = find.get(this.name, id)
    return row && (row.expires_at === null || row.expires_at > Date.now()) ? JSON.parse(row.payload) : undefined
  }
  consume = (id) => write(consume, Math.floor(Date.now() / 1000), this.name, id)
  destroy = (id) => write(destroy, this.name, id)
  revokeByGrantId = (grantId) => write(revoke, grantId)
}

const client = {
  ...{ client_id: 'cli-client', token_endpoint_auth_method: 'none', application_type: 'native' },
  ...{ grant_types: ['authorization_code', 'refresh_token'], redirect_uris: ['http://127.0.0.1/callback'] },
}
const shop = {
  ...{ client_id: 'shop', client_secret: 'secret', id_token_signed_response_alg: 'EdDSA' },
  redirect_uris: ['https://shop.example/callback'],
}
const worker = {
  ...{ client_id: 'worker', client_secret: 'secret', grant_types: ['client_credentials'] },
  ...{ redirect_uris: [], response_types: [] },
}
const MONTH = 30 * 86_400
const provider = new Provider(`http://localhost:5173`, {
  adapter: Adapter,
  clients: [client, shop, worker],
  jwks: { keys: [signingKey('rsa', { modulusLength: 2048 }), signingKey('ed25519')] },
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'EdDSA'] },
  scopes: ['openid', 'offline_access', 'notifications'],
  rotateRefreshToken: true,
  findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  ttl: {
    ...{ AccessToken: 900, AuthorizationCode: 3600, ClientCredentials: 900, IdToken: 3600 },
    ...{ RefreshToken: MONTH, Grant: MONTH },
  },
  features: { devInteractions: { enabled: false }, clientCredentials: { enabled: true } },
})

const many = (count, make) => Promise.all(Array.from({ length: Number(count) }, (_, i) => make(i)))
const made = { tokens: await many(TOKENS, newRefreshToken), codes: await many(CODES, newCode) }
writeFileSync(TOKENS_FILE, JSON.stringify(made))
const handle = provider.callback()
createServer((request, response) => (request.url === '/ready' ? response.end() : handle(request, response))).listen(
  Number(PORT),
  '127.0.0.1',
)

async function newRefreshToken(i) {
  const granted = await grantOf(`user-${i}`, client, 'offline_access notifications')
  return new provider.RefreshToken({ ...granted, gty: 'authorization_code' }).save()
}

async function newCode(i) {
  const granted = await grantOf(`user-${i % 100}`, shop, 'openid offline_access')
  const proof = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256', nonce: 'a-nonce' }
  return new provider.AuthorizationCode({ ...granted, ...proof, redirectUri: shop.redirect_uris[0] }).save()
}

async function grantOf(accountId, { client_id: clientId }, scope) {
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(scope)
  return { accountId, client: await provider.Client.find(clientId), grantId: await grant.save(), scope }
}

function signingKey(...kind) {
  return { ...generateKeyPairSync(...kind).privateKey.export({ format: 'jwk' }), use: 'sig' }
}
