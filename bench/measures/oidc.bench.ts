import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenHash } from '../../src/rules/tokens.ts'
import { rawRequest } from '../load/load.ts'
import { atLeast, type Contender, compare, figureOf, type Measure, perCoreSecond, round } from '../load/measure.ts'
import { Closing, type Folder, insertPeople, preparedFolder, startOurs, userId } from '../ours.ts'
import { type Server, startServer } from '../server.ts'

const CONNECTIONS = 32
const PEOPLE = 100
/** More than a contender redeems in a second. */
const CODES_A_SECOND = 8_000
const VERIFIER = 'a-verifier-of-the-code-that-is-long-enough-to-be-one'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const CALLBACK = 'https://shop.example/callback'
const SECRET = 'secret'
const SCOPES = 'openid offline_access'

/** The token endpoint for a web application with its secret, an `id_token` and a refresh token in each response. */
export const measure: Measure = {
  title: 'Tokens for a code, and for a service, 32 clients',
  async run(bench) {
    const codes = Math.ceil(CODES_A_SECOND * bench.seconds)
    await using folder = await filledFolder()
    await using ours = await startOurs(folder)
    await using peer = await startPeer(folder, codes * (bench.rounds + 1))
    const peerCodes = codesOf(folder).values()
    let next = 0
    const freshCodes = async (where: Folder) => {
      next += codes
      return insertCodes(where, next - codes, next)
    }
    const results = await compare(bench, [
      codeContender('code', ours, '/api/oauth/token', () => freshCodes(folder)),
      codeContender('code, oidc-provider', peer, '/token', async () =>
        Array.from({ length: codes }, () => peerCodes.next().value ?? ''),
      ),
      serviceContender('service', ours, '/api/oauth/token'),
      serviceContender('service, oidc-provider', peer, '/token'),
    ])
    const ratio = (what: string) =>
      round(perCoreSecond(results, what) / perCoreSecond(results, `${what}, oidc-provider`))
    return {
      ratios: [
        atLeast('a code against oidc-provider', ratio('code'), 3),
        atLeast('client_credentials against oidc-provider', ratio('service'), 3),
      ],
      figures: [...results.values()].map(figureOf),
    }
  },
}

async function filledFolder(): Promise<Folder> {
  const folder = await preparedFolder()
  insertPeople(folder, PEOPLE)
  insertApplications(folder)
  return folder
}

function codeContender(name: string, server: Server, path: string, codes: () => Promise<readonly string[]>): Contender {
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const load = async () => {
    const requests = (await codes()).map((code) => formCall(path, 'shop', { ...form, code }))
    return { connections: CONNECTIONS, requests }
  }
  return { name, server, load }
}

function serviceContender(name: string, server: Server, path: string): Contender {
  const requests = [formCall(path, 'worker', { grant_type: 'client_credentials' })]
  return { name, server, load: { connections: CONNECTIONS, requests } }
}

function formCall(path: string, clientId: string, form: Readonly<Record<string, string>>): string {
  const headers = {
    authorization: `Basic ${btoa(`${clientId}:${SECRET}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  return rawRequest('POST', path, headers, String(new URLSearchParams(form)))
}

function startPeer(folder: Folder, codes: number): Promise<Server> {
  return startServer({
    command: process.execPath,
    args: ['bench/peers/oidc-provider.js'],
    env: {
      DATABASE_FILE: join(folder.path, 'oidc-provider.sqlite'),
      TOKENS_FILE: tokensFile(folder),
      TOKENS: '0',
      CODES: String(codes),
      CHALLENGE,
    },
    readyPath: '/ready',
  })
}

function codesOf(folder: Folder): readonly string[] {
  return JSON.parse(readFileSync(tokensFile(folder), 'utf8')).codes
}

function tokensFile({ path }: Folder): string {
  return join(path, 'peer-tokens.json')
}

function insertApplications(folder: Folder): void {
  using meta = new Closing(folder.open('meta'))
  const row = meta.prepare(
    `insert into application (id, name, kind, redirect_uris, post_logout_redirect_uris, scopes, skip_consent,
       id_token_algorithm, secret_hash, created_at, updated_at)
     values (?, ?, ?, ?, '[]', ?, 0, 'EdDSA', ?, 0, 0)`,
  )
  row.run('shop', 'Shop', 'web', JSON.stringify([CALLBACK]), SCOPES, tokenHash(SECRET))
  row.run('worker', 'Worker', 'service', '[]', 'admin:users:read', tokenHash(SECRET))
}

/** Approved just before, because they are valid for a minute. */
function insertCodes(folder: Folder, from: number, to: number): readonly string[] {
  using meta = new Closing(folder.open('meta'))
  const now = Date.now()
  const row = meta.prepare(
    `insert into authorization_request (id, flow, state, client_id, client_name, target_origin, kind, scopes,
       is_offline, nonce, auth_time, session_id, user_id, redirect_uri, code_challenge, code_hash, interval_seconds, ip,
       user_agent, created_at, expires_at)
     values (?, 'code', 'approved', 'shop', 'Shop', 'https://shop.example', 'application', ?, 1, 'a-nonce', ?, ?,
       ?, ?, ?, ?, 5, '127.0.0.1', 'bench', ?, ?)`,
  )
  const codes = Array.from({ length: to - from }, (_, i) => `ghc_bench${from + i}`)
  meta.inOneCommit(() => {
    for (const [i, code] of codes.entries())
      row.run(
        // A session has the id of its user.
        ...[`request-${from + i}`, SCOPES, now, userId(i % PEOPLE), userId(i % PEOPLE)],
        ...[CALLBACK, CHALLENGE, tokenHash(code), now, now + 60_000],
      )
  })
  return codes
}
