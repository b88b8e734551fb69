import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MILLISECONDS } from '../../src/rules/time.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { rawRequest } from '../load/load.ts'
import { atLeast, type Contender, compare, type Figure, type Measure, median, pick, round } from '../load/measure.ts'
import {
  type Folder,
  insertGrants,
  insertPeople,
  insertRows,
  preparedFolder,
  refreshToken,
  sessionToken,
  startOurs,
  startOursAs,
  userId,
} from '../ours.ts'
import { betterAuthCookie, cachedCookies, startBetterAuth, startOidcProvider } from '../peers.ts'
import { insertPasswords, signInRequest } from '../rows/passwords.ts'
import type { Server } from '../server.ts'

const CONNECTIONS = 32
const PEOPLE = 5_000
/** More than a contender can do in a second. */
const NEW_A_SECOND = 9_000
const VERIFIER = 'a-verifier-of-the-code-that-is-long-enough-to-be-one'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const CALLBACK = 'https://shop.example/callback'
const SECRET = 'secret'
const SCOPES = 'openid offline_access'
const STARTS = 5

const CACHED = 'Better Auth, cookie cache'

const GOALS: Readonly<Record<string, number>> = {
  'who is this': 10,
  'client credentials': 1.15,
  refresh: 1.15,
  'a code': 1.25,
}

/** What we do and the other does not, so that the same act is not the same work. */
const DOES = {
  ours: 'event, audit entry, ends at once, on the disk when answered',
  betterAuth: 'no event, no audit; ends at once; on the disk',
  cached: 'reads no store: an ended session is good for up to an hour',
  oidcProvider: 'no event, no audit; ends at once; on the disk',
} as const

interface Act {
  readonly act: string
  readonly peer: string
  readonly does: string
  readonly ours: Contender
  readonly theirs: Contender
}

/**
 * The same acts in packages from npm, by processor time, in turn in one run. No password is hashed, because each has
 * its own hash.
 */
export const measure: Measure = {
  title: 'Gatehouse beside Better Auth and oidc-provider, on SQLite, µs of processor time for each act',
  async run(bench) {
    const fresh = Math.ceil(NEW_A_SECOND * bench.seconds)
    await using folder = await filledFolder()
    await using ours = await startOurs(folder, { TRUSTED_PROXIES: '127.0.0.0/8' })
    await using betterAuth = await startBetterAuth(join(folder.path, 'better-auth.sqlite'), PEOPLE)
    await using caching = await startBetterAuth(join(folder.path, 'caching.sqlite'), PEOPLE, { COOKIE_CACHE: 'on' })
    const cached = await cachedCookies(caching, PEOPLE)
    await using provider = await startOidcProvider(join(folder.path, 'oidc-provider.sqlite'), tokensFile(folder), {
      ...{ TOKENS: String(CONNECTIONS), CODES: String(fresh * (bench.rounds + 1)), CHALLENGE },
    })
    const made = madeBy(folder)
    const act = actsOf(fresh)
    const whoIs = (name: string, server: Server, cookieOf: (i: number) => string): Contender => {
      const get = (i: number) => rawRequest('GET', '/api/auth/get-session', { cookie: cookieOf(i) })
      const requests = Array.from({ length: PEOPLE }, (_, i) => get(i))
      return { name, server, load: { connections: CONNECTIONS, requests } }
    }
    const ourCheck = whoIs('who is this', ours, (i) => `session=${sessionToken(i)}`)
    const auth = { peer: 'Better Auth', does: DOES.betterAuth }
    const openid = { peer: 'oidc-provider', does: DOES.oidcProvider }
    const acts: readonly Act[] = [
      { ...auth, act: 'who is this', ours: ourCheck, theirs: whoIs('ba who', betterAuth, betterAuthCookie) },
      {
        ...{ act: 'who is this', peer: CACHED, does: DOES.cached },
        ours: ourCheck,
        theirs: whoIs('cached who', caching, (i) => cached[i] ?? ''),
      },
      { ...auth, act: 'sign-in', ours: act.signIn('sign-in', ours), theirs: act.signIn('ba sign-in', betterAuth) },
      { ...auth, act: 'sign-up', ours: act.signUp('sign-up', ours), theirs: act.signUp('ba sign-up', betterAuth) },
      {
        ...{ ...openid, act: 'client credentials' },
        ours: act.service('service', ours, '/api/oauth/token'),
        theirs: act.service('op service', provider, '/token'),
      },
      {
        ...{ ...openid, act: 'refresh' },
        ours: act.refresh('refresh', ours, '/api/oauth/token', ownRefreshTokens()),
        theirs: act.refresh('op refresh', provider, '/token', made.tokens),
      },
      {
        ...{ ...openid, act: 'a code' },
        ours: act.code('code', ours, '/api/oauth/token', () => act.insertCodes(folder)),
        theirs: act.code('op code', provider, '/token', () => made.codes.splice(0, fresh)),
      },
    ]
    const contenders = new Map(acts.flatMap((each) => [each.ours, each.theirs]).map((each) => [each.name, each]))
    const results = await compare(bench, [...contenders.values()])
    const cpu = (name: string) => pick(results, name).cpuMicroseconds
    const figures = acts.map(({ act, peer, does, ours, theirs }) => ({
      what: act,
      ours: round(cpu(ours.name)),
      theirs: round(cpu(theirs.name)),
      'times ahead': round(cpu(theirs.name) / cpu(ours.name)),
      peer,
      does,
    }))
    const ratios = figures.flatMap(({ what, peer, 'times ahead': ahead }) => {
      const goal = GOALS[what]
      return goal === undefined || peer === CACHED ? [] : [atLeast(`${what}, beside ${peer}`, ahead, goal)]
    })
    return { ratios, figures: [...figures, ...(await starts())] }
  },
}

/** Starts each in turn, on existing data, with compiled code if the program keeps it. */
async function starts(): Promise<readonly Figure[]> {
  await using folder = await preparedFolder()
  const contenders = {
    gatehouse: () => startOursAs([process.execPath, 'dist/gatehouse.mjs', 'serve'], folder),
    'Better Auth': () => startBetterAuth(join(folder.path, 'better-auth.sqlite'), 0),
    'oidc-provider': () => startOidcProvider(join(folder.path, 'op.sqlite'), '/dev/null', { TOKENS: '0' }),
  }
  const taken = Object.keys(contenders).map((name) => ({ name, cpu: [] as number[], megabytes: [] as number[] }))
  for (let i = 0; i < STARTS; i++) {
    for (const { name, cpu, megabytes } of taken) {
      await using server = await contenders[name as keyof typeof contenders]()
      cpu.push(server.cpuMilliseconds())
      megabytes.push(server.memoryMegabytes())
    }
  }
  return taken.map(({ name, cpu, megabytes }) => ({
    what: `start of ${name}, ms of processor time, and MB then`,
    ours: round(median(cpu)),
    theirs: round(median(megabytes)),
  }))
}

async function filledFolder(): Promise<Folder> {
  const folder = await preparedFolder()
  using meta = folder.open('meta')
  meta.exec(`update instance set value = '1' where name = 'password_iterations'`)
  insertPeople(folder, PEOPLE)
  insertPasswords(folder, PEOPLE, 1)
  insertGrants(folder, CONNECTIONS, 'operations:notifications:read')
  const rules = { post_logout_redirect_uris: '[]', skip_consent: 0, id_token_algorithm: 'EdDSA' }
  const application = { ...rules, secret_hash: tokenHash(SECRET), created_at: 0, updated_at: 0 }
  insertRows(folder, 'meta', 'application', [
    {
      id: 'shop',
      name: 'Shop',
      kind: 'web',
      redirect_uris: JSON.stringify([CALLBACK]),
      scopes: SCOPES,
      ...application,
    },
    { id: 'worker', name: 'Worker', kind: 'service', redirect_uris: '[]', scopes: 'admin:users:read', ...application },
  ])
  const times = { created_at: Date.now(), expires_at: Date.now() + DAY_MILLISECONDS }
  const tokens = ownRefreshTokens().map((token, i) => ({ token_hash: tokenHash(token), grant_id: userId(i), ...times }))
  insertRows(folder, 'meta', 'refresh_token', tokens)
  return folder
}

function ownRefreshTokens(): readonly string[] {
  return Array.from({ length: CONNECTIONS }, (_, i) => refreshToken(i))
}

/** Each sign-up is of a new user, and each request has its own network: otherwise limits would refuse most of them. */
function actsOf(fresh: number) {
  let people = 0
  let codes = 0
  const signUpRequest = () => {
    const i = people++
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': addressOf(i) }
    const person = { email: `new-${i}@example.com`, password: 'a long walk in the rain', name: `New ${i}` }
    return rawRequest('POST', '/api/auth/sign-up/email', headers, JSON.stringify(person))
  }
  const signIns = Array.from({ length: PEOPLE }, (_, i) => signInRequest(i, addressOf(i)))
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER }
  return {
    signIn: (name: string, server: Server): Contender => ({
      ...{ name, server },
      load: { connections: CONNECTIONS, requests: signIns },
    }),
    signUp: (name: string, server: Server): Contender => ({
      ...{ name, server },
      load: async () => ({ connections: CONNECTIONS, requests: Array.from({ length: fresh }, signUpRequest) }),
    }),
    service: (name: string, server: Server, path: string): Contender => ({
      ...{ name, server },
      load: { connections: CONNECTIONS, requests: [formCall(path, 'worker', { grant_type: 'client_credentials' })] },
    }),
    refresh: (name: string, server: Server, path: string, tokens: readonly string[]): Contender => {
      const formText = 'grant_type=refresh_token&client_id=cli-client&refresh_token={{token}}'
      const chain = { path, form: formText, answer: '"refresh_token":"([^"]+)"', tokens }
      return { name, server, load: { connections: CONNECTIONS, chain } }
    },
    code: (name: string, server: Server, path: string, next: () => readonly string[]): Contender => ({
      ...{ name, server },
      load: async () => ({
        connections: CONNECTIONS,
        requests: next().map((code) => formCall(path, 'shop', { ...form, code })),
      }),
    }),
    /** Approved just before, because they are valid for a minute. */
    insertCodes(folder: Folder): readonly string[] {
      const made = Array.from({ length: fresh }, () => codes++)
      insertApproved(folder, made)
      return made.map(codeOf)
    },
  }
}

function addressOf(i: number): string {
  return `${20 + ((i >> 16) & 63)}.${(i >> 8) & 255}.${i & 255}.9`
}

function codeOf(i: number): string {
  return `ghc_bench${i}`
}

function insertApproved(folder: Folder, codes: readonly number[]): void {
  const client = { client_id: 'shop', client_name: 'Shop', target_origin: 'https://shop.example', kind: 'application' }
  const wanted = { flow: 'code', state: 'approved', scopes: SCOPES, is_offline: 1, nonce: 'a-nonce' }
  const proof = { redirect_uri: CALLBACK, code_challenge: CHALLENGE, interval_seconds: 5 }
  const sender = { ip: '127.0.0.1', user_agent: 'bench' }
  const times = { auth_time: Date.now(), created_at: Date.now(), expires_at: Date.now() + 60_000 }
  const rows = codes.map((i) => {
    // A session has the id of its user.
    const user = { session_id: userId(i % PEOPLE), user_id: userId(i % PEOPLE) }
    return {
      id: `request-${i}`,
      ...client,
      ...wanted,
      ...user,
      ...proof,
      ...sender,
      ...times,
      code_hash: tokenHash(codeOf(i)),
    }
  })
  insertRows(folder, 'meta', 'authorization_request', rows)
}

function formCall(path: string, clientId: string, form: Readonly<Record<string, string>>): string {
  const headers = {
    authorization: `Basic ${btoa(`${clientId}:${SECRET}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  return rawRequest('POST', path, headers, String(new URLSearchParams(form)))
}

function madeBy(folder: Folder): { readonly tokens: readonly string[]; readonly codes: string[] } {
  return JSON.parse(readFileSync(tokensFile(folder), 'utf8'))
}

function tokensFile({ path }: Folder): string {
  return join(path, 'peer-tokens.json')
}
