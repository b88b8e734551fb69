import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { URI } from 'otpauth'
import { RELEASES } from '../test/fixtures/lived-in.ts'
import { oldProgram } from '../test/fixtures/old-program.ts'
import { command } from '../test/postgres/databases.ts'
import { readOptions } from '../test/processes/read-options.ts'
import { cores, type Program } from './load/cores.ts'
import { answersTo, formRequest, jsonRequest, rawRequest } from './load/load.ts'
import { median } from './load/measure.ts'
import { emptyStores } from './on-postgres.ts'
import { emptyFolder, PASSWORD, startOurs } from './ours.ts'
import type { Server } from './server.ts'

/**
 * Each act of a user here and in another checkout or release, in turn in one run: the processor time of the service and
 * its store, with the work that the act leaves. Only the program and the API of the other are used.
 */
const USAGE = `npm run bench -- beside OTHER [--postgres] [--rounds N] [--acts N] [--only PART]
PART: sessions, codes or devices, without it all three; or newcomers, whose letters are sent
OTHER is a folder with another checkout of this project, installed and built, or a kept release: ${RELEASES.join(', ')}.`
const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    postgres: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    acts: { type: 'string', default: '1000' },
    only: { type: 'string' },
  },
})
const [other] = positionals
if (!other) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const acts = Number(values.acts)
const people = Math.min(acts, 500)
const VERIFIER = 'v'.repeat(43)
const SCOPE = 'account:credits:read account:profile:read operations:feedback:write operations:notifications:read'
const CLIENT = { client_id: 'cli-client' }
const BEGIN = '/api/oauth/begin_authorization'
const DECIDE = '/api/oauth/decide_authorization'
const TOKEN = '/api/oauth/token'
let sent = 0

interface Side {
  readonly server: Server
  readonly store: Pick<Server, 'cpuMilliseconds'> | undefined
  /** Where a server without a mail provider writes what it sends. */
  readonly outbox: string
  /** One for each session. */
  readonly tokens: readonly string[]
}

await using opened = new AsyncDisposableStack()
const sides: Readonly<Record<'there' | 'here', Side>> = {
  there: await openSide(programOf(other)),
  here: await openSide(programOf('.')),
}
const taken = new Map<string, Record<keyof typeof sides, number[]>>()
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const name of ['there', 'here'] as const) await actsOf(turnOf(name, round))
}
const GROWN = 1.05
process.stdout.write(`${'act'.padEnd(24)}    there     here    ratio   (µs of processor time; medians)\n`)
for (const [act, { there, here }] of taken) {
  const ratio = median(here.map((each, i) => each / (there[i] ?? Number.NaN)))
  const columns = [median(there).toFixed(0), median(here).toFixed(0), ratio.toFixed(2)].map((each) => each.padStart(9))
  process.stdout.write(`${act.padEnd(24)}${columns.join('')}${ratio > GROWN ? '  grown' : ''}\n`)
}

function programOf(named: string): Program {
  const release = RELEASES.find((each) => each === named)
  if (release === undefined) return [join(named, 'bin/gatehouse'), 'serve']
  return [process.execPath, '--max-semi-space-size=16', oldProgram(opened, release), 'serve']
}

async function openSide(program: Program): Promise<Side> {
  const folder = opened.use(await emptyFolder())
  const stores = values.postgres ? opened.use(await emptyStores()) : undefined
  const change = async (sql: string) => {
    if (stores) return command(stores.url, sql)
    using meta = folder.open('meta')
    meta.exec(sql)
  }
  const start = () => startOurs(folder, { TRUSTED_PROXIES: '127.0.0.1/32', ...stores?.env }, cores.server, program)
  {
    await using _ = await start()
  }
  // Hashing would hide everything else.
  await change(`update instance set value = '1' where name = 'password_iterations'`)
  // A letter takes as long as most acts: only those that need one have a provider.
  if (values.only === 'newcomers')
    await change(`update settings set email = replace(email, '"provider":null', '"provider":"outbox"')`)
  const server = opened.use(await start())
  const signedUp = await answersTo(server.port, people, (i) => signUp(`person-${i}@example.com`, `Person ${i}`))
  const tokens = signedUp.map(({ token = '' }) => token)
  return { server, store: stores?.store, outbox: join(folder.path, 'outbox'), tokens }
}

type Turn = ReturnType<typeof turnOf>

function turnOf(name: keyof typeof sides, round: number) {
  const side = sides[name]
  const tokenOf = (i: number) => side.tokens[i % people]
  const measured = async (act: string, count: number, requestOf: (i: number) => string) => {
    const before = used(side)
    const answers = await answersTo(side.server.port, count, requestOf)
    const microseconds = ((await settled(side)) - before) * (1_000 / count)
    const ofAct = taken.get(act) ?? { there: [], here: [] }
    taken.set(act, ofAct)
    // The first round warms up.
    if (round > 0) ofAct[name].push(microseconds)
    return answers
  }
  const called = (act: string, path: string, jsonOf: (i: number) => object) =>
    measured(act, acts, (i) => jsonRequest(path, jsonOf(i), sender(tokenOf(i))))
  const posted = (act: string, path: string, formOf: (i: number) => Readonly<Record<string, string>>) =>
    measured(act, acts, (i) => formRequest(path, { ...CLIENT, ...formOf(i) }, sender()))
  return { side, round, tokenOf, measured, called, posted }
}

async function actsOf(turn: Turn): Promise<void> {
  const parts = { sessions, newcomers, codes, devices }
  const isWanted = (part: string) => (values.only === undefined ? part !== 'newcomers' : part === values.only)
  for (const [part, run] of Object.entries(parts)) if (isWanted(part)) await run(turn)
}

function signUp(email: string, name: string): string {
  return jsonRequest('/api/auth/sign-up/email', { email, password: PASSWORD, name }, sender())
}

function signIn(email: string): string {
  return jsonRequest('/api/auth/sign-in/email', { email, password: PASSWORD }, sender())
}

async function sessions({ round, tokenOf, measured, called }: Turn): Promise<void> {
  await measured('session check', 4 * acts, (i) => rawRequest('GET', '/api/auth/get-session', sender(tokenOf(i))))
  await called('list_notifications', '/api/list_notifications', () => ({ page: 1, page_size: 20 }))
  await called('read_notification', '/api/read_notification', (i) => ({ id: `${round}-${i}` }))
  await called('submit_feedback', '/api/submit_feedback', (i) => ({ type: 'idea', content: `Better: ${i}` }))
  await called('update-user', '/api/auth/update-user', (i) => ({ name: `Name ${round} ${i}` }))
  const signedIn = await measured('sign-in', people, (i) => signIn(`person-${i}@example.com`))
  await measured('sign-out', people, (i) => jsonRequest('/api/auth/sign-out', {}, sender(signedIn[i]?.token)))
}

/** People of this round, who are signed in when they verify their address and set up an app. */
async function newcomers({ side, round, measured }: Turn): Promise<void> {
  const emailOf = (i: number) => `newcomer-${round}-${i}@example.com`
  const signedUp = await measured('sign-up', people, (i) => signUp(emailOf(i), `Newcomer ${i}`))
  const signedIn = (i: number, path: string, json: object) => jsonRequest(path, json, sender(signedUp[i]?.token))
  const send = '/api/auth/email-otp/send-verification-otp'
  await measured('send a code', people, (i) =>
    jsonRequest(send, { email: emailOf(i), type: 'email-verification' }, sender()),
  )
  const codes = await mailedCodes(side.outbox, people * (2 * round + 1))
  await measured('verify a code', people, (i) =>
    signedIn(i, '/api/auth/email-otp/verify-email', { email: emailOf(i), otp: codes.get(emailOf(i)) }),
  )

  const enabled = await answersTo(side.server.port, people, (i) =>
    signedIn(i, '/api/auth/two-factor/enable', { password: PASSWORD }),
  )
  const apps = enabled.map(({ totpURI = '' }) => URI.parse(totpURI))
  const verify = '/api/auth/two-factor/verify-totp'
  await answersTo(side.server.port, people, (i) => signedIn(i, verify, { code: apps[i]?.generate() }))
  // Each app caused a letter too.
  await mailedCodes(side.outbox, people * (2 * round + 2))
  const begun = await measured('first of two steps', people, (i) => signIn(emailOf(i)))
  // The code of this half-minute was used by the setup.
  const nextCode = (i: number) => apps[i]?.generate({ timestamp: Date.now() + 30_000 })
  await measured('second step', people, (i) =>
    jsonRequest(verify, { code: nextCode(i) }, { ...sender(), cookie: begun[i]?.cookie ?? '' }),
  )
}

/** The code in the letter to each address, once this many have been sent. */
async function mailedCodes(outbox: string, letters: number): Promise<ReadonlyMap<string, string>> {
  const sentLetters = async () => (await readdir(outbox)).filter((name) => name.endsWith('.eml'))
  while ((await sentLetters()).length < letters) await wait(100)
  const codes = new Map<string, string>()
  for (const name of await sentLetters()) {
    const letter = await readFile(join(outbox, name), 'utf8')
    const [, to = ''] = /^To: (.*)$/m.exec(letter) ?? []
    const [code = ''] = /\b\d{6}\b/.exec(letter.slice(letter.indexOf('\n\n'))) ?? []
    codes.set(to, code)
  }
  return codes
}

async function codes({ measured, called, posted }: Turn): Promise<void> {
  const redirect_uri = 'http://127.0.0.1:49152/callback'
  const begun = await called('begin a request', BEGIN, () => ({
    ...{ ...CLIENT, redirect_uri, response_type: 'code', scope: SCOPE, state: 'a-state' },
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  }))
  const approved = await called('consent', DECIDE, (i) => ({ request_id: begun[i]?.request_id, approve: true }))
  const codeOf = (i: number) => new URL(approved[i]?.redirect_to ?? '').searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', redirect_uri, code_verifier: VERIFIER }
  const redeemed = await posted('redeem a code', TOKEN, (i) => ({ ...grant, code: codeOf(i) }))
  const refresh_token = (i: number) => redeemed[i]?.refresh_token ?? ''
  const refreshed = await posted('refresh', TOKEN, (i) => {
    return { grant_type: 'refresh_token', refresh_token: refresh_token(i) }
  })
  const access = (i: number) => refreshed[i]?.access_token ?? ''
  await measured('call with a token', acts, (i) => jsonRequest('/api/get_credit_summary', {}, sender(access(i))))
  await posted('revoke', '/api/oauth/revoke', (i) => ({ token: access(i) }))
}

async function devices({ called, posted }: Turn): Promise<void> {
  const begun = await posted('begin with a device', '/api/oauth/device_authorization', () => ({ scope: SCOPE }))
  const typed = await called('type its code', BEGIN, (i) => ({ user_code: begun[i]?.user_code }))
  await called('approve the device', DECIDE, (i) => ({ request_id: typed[i]?.request_id, approve: true }))
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  await posted('redeem its code', TOKEN, (i) => ({ grant_type, device_code: begun[i]?.device_code ?? '' }))
}

function used({ server, store }: Side): number {
  return server.cpuMilliseconds() + (store?.cpuMilliseconds() ?? 0)
}

/** The time used once the work that an act leaves is done: a fifth of a second then takes no more than a tick or two. */
async function settled(side: Side): Promise<number> {
  for (;;) {
    const before = used(side)
    await wait(200)
    if (used(side) - before <= 20) return before
  }
}

/** Each request comes from an address of its own, so that no limit per address refuses it. */
function sender(token?: string) {
  const number = sent++
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return { 'x-forwarded-for': address, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
}
