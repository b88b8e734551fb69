import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MILLISECONDS } from '../../src/rules/time.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { formRequest, jsonRequest, rawRequest } from '../load/load.ts'
import { atLeast, type Contender, compare, type Measure, pick, round } from '../load/measure.ts'
import {
  type Folder,
  folderOf,
  insertGrants,
  insertPasswords,
  insertRows,
  PASSWORD,
  refreshToken,
  sessionToken,
  signInRequest,
  startOurs,
  userId,
} from '../ours.ts'
import { signedUpCookies, startPeer } from '../peers.ts'

const CONNECTIONS = 32
const PEOPLE = 5_000
/** More than a contender can do in a second. */
const NEW_A_SECOND = 9_000
const VERIFIER = 'a-verifier-of-the-code-that-is-long-enough-to-be-one'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const CALLBACK = 'https://shop.example/callback'
const SECRET = 'secret'
const SCOPES = 'openid offline_access'

/** What each peer leaves out of an act, so that the same act is not the same work. */
const LEAVES_OUT = {
  'Better Auth': 'no event, no audit; ends at once; on the disk',
  'Better Auth, cookie cache': 'reads no store: an ended session is good for up to an hour',
  'oidc-provider': 'no event, no audit; ends at once; on the disk',
} as const

type Load = Contender['load']
type Act = readonly [act: string, peer: keyof typeof LEAVES_OUT, ours: Load, theirs: Load, timesAhead?: number]

/**
 * The same acts in packages from npm, by processor time, in turn in one run. No password is hashed, because each has
 * its own hash.
 */
export const measure: Measure = {
  title: 'Gatehouse beside Better Auth and oidc-provider, on SQLite, µs of processor time for each act',
  async run(bench) {
    const fresh = Math.ceil(NEW_A_SECOND * bench.seconds)
    await using folder = await filledFolder()
    const inFolder = (name: string) => join(folder.path, name)
    const startBetterAuth = (name: string, env = {}) =>
      startPeer('better-auth', { DATABASE_FILE: inFolder(name), ...env })
    await using ours = await startOurs(folder, { TRUSTED_PROXIES: '127.0.0.0/8' })
    await using betterAuth = await startBetterAuth('better-auth.sqlite')
    await using caching = await startBetterAuth('caching.sqlite', { COOKIE_CACHE: 'on' })
    const TOKENS_FILE = inFolder('peer-tokens.json')
    await using provider = await startPeer('oidc-provider', {
      ...{ DATABASE_FILE: inFolder('oidc-provider.sqlite'), TOKENS_FILE, CHALLENGE },
      ...{ TOKENS: String(CONNECTIONS), CODES: String(fresh * (bench.rounds + 1)) },
    })
    const made: Made = JSON.parse(readFileSync(TOKENS_FILE, 'utf8'))
    const plain = await signedUpCookies(betterAuth, PEOPLE)
    const cached = await signedUpCookies(caching, PEOPLE)
    if (!cached(0).includes('session_data=')) throw new Error('Better Auth does not cache the session in a cookie')
    const acts = actsOf(folder, fresh, made, plain, cached)

    const servers = { 'Better Auth': betterAuth, 'Better Auth, cookie cache': caching, 'oidc-provider': provider }
    const contenders = acts.flatMap(([act, peer, own, theirs]): Contender[] => [
      { name: act, server: ours, load: own },
      { name: `${act}, beside ${peer}`, server: servers[peer], load: theirs },
    ])
    const results = await compare(bench, [...new Map(contenders.map((each) => [each.name, each])).values()])
    const compared = acts.map(([act, peer, , , goal]) => {
      const cpu = (name: string) => pick(results, name).cpuMicroseconds
      const beside = `${act}, beside ${peer}`
      const [ours, theirs] = [cpu(act), cpu(beside)]
      const ahead = round(theirs / ours)
      const times = { ours: round(ours), theirs: round(theirs), 'times ahead': ahead }
      const figure = { what: act, ...times, peer, does: LEAVES_OUT[peer] }
      return { figure, ratio: goal === undefined ? [] : [atLeast(beside, ahead, goal)] }
    })
    return { ratios: compared.flatMap(({ ratio }) => ratio), figures: compared.map(({ figure }) => figure) }
  },
}

type CookieOf = (i: number) => string

/** What `oidc-provider` has made at its start. */
interface Made {
  readonly tokens: readonly string[]
  readonly codes: string[]
}

/** Each sign-up is of a new user, and each request has its own network: otherwise limits would refuse most of them. */
function actsOf(folder: Folder, fresh: number, made: Made, plain: CookieOf, cached: CookieOf): readonly Act[] {
  const load = (requests: readonly string[]) => ({ connections: CONNECTIONS, requests })
  const ofEach = (request: (i: number) => string) => load(Array.from({ length: PEOPLE }, (_, i) => request(i)))
  const check = (cookieOf: CookieOf) =>
    ofEach((i) => rawRequest('GET', '/api/auth/get-session', { cookie: cookieOf(i) }))
  const ourCheck = check((i) => `session=${sessionToken(i)}`)
  const signIns = ofEach((i) => signInRequest(i, addressOf(i)))
  const service = (path: string) => load([formCall(path, 'worker', { grant_type: 'client_credentials' })])
  const refresh = (path: string, tokens: readonly string[]) => {
    const form = { grant_type: 'refresh_token', client_id: 'cli-client' }
    return { connections: CONNECTIONS, chain: { path, form, field: 'refresh_token', tokens } }
  }
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const redeem = (path: string, codes: readonly string[]) =>
    load(codes.map((code) => formCall(path, 'shop', { ...form, code })))
  let [people, codes] = [0, 0]
  const signUps = () => load(Array.from({ length: fresh }, () => signUpRequest(people++)))
  // Approved just before, because they are valid for a minute.
  const ourCodes = () => {
    codes += fresh
    return redeem('/api/oauth/token', insertApproved(folder, codes - fresh, fresh))
  }
  const theirCodes = () => redeem('/token', made.codes.splice(0, fresh))
  return [
    ['who is this', 'Better Auth', ourCheck, check(plain), 10],
    ['who is this', 'Better Auth, cookie cache', ourCheck, check(cached)],
    ['sign-in', 'Better Auth', signIns, signIns],
    ['sign-up', 'Better Auth', signUps, signUps],
    ['client credentials', 'oidc-provider', service('/api/oauth/token'), service('/token'), 1.15],
    ['refresh', 'oidc-provider', refresh('/api/oauth/token', OWN_TOKENS), refresh('/token', made.tokens), 1.15],
    ['a code', 'oidc-provider', ourCodes, theirCodes, 1.25],
  ]
}

function signUpRequest(i: number): string {
  const person = { email: `new-${i}@example.com`, password: PASSWORD, name: `New ${i}` }
  return jsonRequest('/api/auth/sign-up/email', person, { 'x-forwarded-for': addressOf(i) })
}

function addressOf(i: number): string {
  return `${20 + ((i >> 16) & 63)}.${(i >> 8) & 255}.${i & 255}.9`
}

function formCall(path: string, clientId: string, form: Readonly<Record<string, string>>): string {
  return formRequest(path, form, { authorization: `Basic ${btoa(`${clientId}:${SECRET}`)}` })
}

async function filledFolder(): Promise<Folder> {
  const folder = await folderOf(PEOPLE)
  using meta = folder.open('meta')
  meta.exec(`update instance set value = '1' where name = 'password_iterations'`)
  insertPasswords(folder, PEOPLE, 1)
  insertGrants(folder, CONNECTIONS, 'operations:notifications:read')
  const rules = { post_logout_redirect_uris: '[]', skip_consent: 0, id_token_algorithm: 'EdDSA' }
  const common = { ...rules, secret_hash: tokenHash(SECRET), created_at: 0, updated_at: 0 }
  const shop = { id: 'shop', name: 'Shop', kind: 'web', redirect_uris: JSON.stringify([CALLBACK]), scopes: SCOPES }
  const worker = { id: 'worker', name: 'Worker', kind: 'service', redirect_uris: '[]', scopes: 'admin:users:read' }
  for (const own of [shop, worker]) insertRows(folder, 'meta', 'application', 1, () => ({ ...own, ...common }))
  const times = { created_at: Date.now(), expires_at: Date.now() + DAY_MILLISECONDS }
  insertRows(folder, 'meta', 'refresh_token', CONNECTIONS, (i) => {
    return { token_hash: tokenHash(refreshToken(i)), grant_id: userId(i), ...times }
  })
  return folder
}

const OWN_TOKENS = Array.from({ length: CONNECTIONS }, (_, i) => refreshToken(i))

/** Returns the codes of new approved requests. */
function insertApproved(folder: Folder, first: number, count: number): readonly string[] {
  const client = { client_id: 'shop', client_name: 'Shop', target_origin: 'https://shop.example', kind: 'application' }
  const wanted = { flow: 'code', state: 'approved', scopes: SCOPES, is_offline: 1, nonce: 'a-nonce' }
  const proof = { redirect_uri: CALLBACK, code_challenge: CHALLENGE, interval_seconds: 5 }
  const sender = { ip: '127.0.0.1', user_agent: 'bench' }
  const times = { auth_time: Date.now(), created_at: Date.now(), expires_at: Date.now() + 60_000 }
  const common = { ...client, ...wanted, ...proof, ...sender, ...times }
  const codeOf = (i: number) => `ghc_bench${first + i}`
  insertRows(folder, 'meta', 'authorization_request', count, (i) => {
    // A session has the id of its user.
    const id = userId((first + i) % PEOPLE)
    return { id: `request-${first + i}`, session_id: id, user_id: id, code_hash: tokenHash(codeOf(i)), ...common }
  })
  return Array.from({ length: count }, (_, i) => codeOf(i))
}
