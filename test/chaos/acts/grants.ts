import { createHash, randomBytes } from 'node:crypto'
import { type Address, type Browser, isUnknown, type Reply } from '../actors/browser.ts'
import type { Grant } from '../actors/life.ts'
import { type Call, someSession } from './act.ts'

type Ask = Browser['ask']

const CLIENT = 'cli-client'
const REDIRECT = 'http://127.0.0.1:49152/callback'
const USED = 'account:credits:read'
const FURTHER = [
  'account:profile:read',
  'account:profile:write',
  'account:beta:write',
  'operations:feedback:write',
  'operations:notifications:read',
  'operations:notifications:write',
]
const MOST_GRANTS = 6
/** Well within the time in which the same refresh token gets the same successor. */
const RETRY_MILLISECONDS = 10_000

/** Connects as the command-line client does: by the redirect flow, or a device's code. */
export function connectWithCode(call: Call): Promise<void> {
  return connect(call, byRedirect)
}

export function connectDevice(call: Call): Promise<void> {
  return connect(call, byDevice)
}

async function connect(call: Call, flow: typeof byRedirect): Promise<void> {
  const { browser, world, life, dice, history } = call
  const session = await someSession(call)
  if (!session || life.grants.length >= MOST_GRANTS) return
  const at = world.someProcess(dice)
  const name = life.newName('grant')
  const scope = scopeOf(Number(/\d+$/.exec(name)))
  const reply = await browser.do({ kind: 'connect', user: life.user, grant: name }, at, (ask) =>
    flow(ask, at, session.token, scope),
  )
  if (reply?.status !== 200) return
  const { access_token: access, refresh_token: refresh, id } = reply.body
  const owner = browser.chain
  life.grants = [...life.grants, { name, id, owner, access, refresh, issued: history.now }]
}

/** A different set of scopes for each grant of a user, by which its id is found in the list. */
function scopeOf(n: number): string {
  return [USED, ...FURTHER.filter((_, i) => n & (1 << i))].join(' ')
}

/** Stops at the first refusal, which is then the reply. */
async function byRedirect(ask: Ask, at: Address, session: string, scope: string): Promise<Reply> {
  const verifier = randomBytes(32).toString('base64url')
  const body = {
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope,
    state: 'a-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  const begun = await ask(at, '/api/oauth/begin_authorization', { session, body })
  if (begun.status !== 200) return begun
  const decided = await approve(ask, at, session, begun.body.request_id)
  if (decided.status !== 200) return decided
  const code = new URL(decided.body.redirect_to).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id: CLIENT, code, redirect_uri: REDIRECT }
  const tokens = await ask(at, '/api/oauth/token', { form: { ...form, code_verifier: verifier } })
  return withId(ask, at, session, scope, tokens)
}

async function byDevice(ask: Ask, at: Address, session: string, scope: string): Promise<Reply> {
  const form = { client_id: CLIENT, scope }
  const started = await ask(at, '/api/oauth/device_authorization', { form })
  if (started.status !== 200) return started
  const { user_code, device_code } = started.body
  const begun = await ask(at, '/api/oauth/begin_authorization', { session, body: { user_code } })
  if (begun.status !== 200) return begun
  const decided = await approve(ask, at, session, begun.body.request_id)
  if (decided.status !== 200) return decided
  const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
  const tokens = await ask(at, '/api/oauth/token', {
    form: { grant_type: grantType, client_id: CLIENT, device_code },
  })
  return withId(ask, at, session, scope, tokens)
}

function approve(ask: Ask, at: Address, session: string, requestId: string): Promise<Reply> {
  return ask(at, '/api/oauth/decide_authorization', {
    session,
    body: { request_id: requestId, approve: true },
  })
}

/** The grant's id, by which the administrator can end it. */
async function withId(ask: Ask, at: Address, session: string, scope: string, tokens: Reply): Promise<Reply> {
  if (tokens.status !== 200) return tokens
  const body = { page_size: 20 }
  const listed = await ask(at, '/api/list_grants', { session, body }).catch(() => undefined)
  const items: readonly { id: string; scopes: readonly string[] }[] = listed?.body?.items ?? []
  const same = items.filter(({ scopes }) => isSameSet(scopes, scope.split(' ')))
  return { ...tokens, body: { ...tokens.body, id: same.length === 1 ? same[0]?.id : '' } }
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.toSorted().join() === b.toSorted().join()
}

export async function refresh({ browser, world, life, dice, history }: Call): Promise<void> {
  const grant = dice.oneOf(life.grants.filter(({ owner }) => owner === browser.chain))
  if (!grant) return
  const started = performance.now()
  const form = { grant_type: 'refresh_token', client_id: CLIENT, refresh_token: grant.refresh }
  for (;;) {
    const at = world.someProcess(dice)
    const reply = await browser.do({ kind: 'refresh', user: life.user, grant: grant.name }, at, (ask) =>
      ask(at, '/api/oauth/token', { form }),
    )
    if (reply?.status === 200) {
      grant.access = reply.body.access_token
      grant.refresh = reply.body.refresh_token
      grant.issued = history.now
      return
    }
    if (isUnknown(reply) && performance.now() - started < RETRY_MILLISECONDS) continue
    life.endedGrant(grant)
    return
  }
}

export async function useGrant(call: Call): Promise<void> {
  const grant = call.dice.oneOf(call.life.grants)
  if (grant) await present(call, grant)
}

export async function useEndedGrant(call: Call): Promise<void> {
  const grant = call.dice.oneOf(call.life.endedGrants)
  if (grant) await present(call, grant)
}

async function present({ browser, world, life, dice }: Call, grant: Grant): Promise<void> {
  const at = world.someProcess(dice)
  const { access: bearer, issued, name } = grant
  const reply = await browser.do(
    { kind: 'use-grant', user: life.user, grant: name, issued },
    at,
    async (ask) => {
      const answer = await ask(at, '/api/get_credit_summary', { bearer, body: {} })
      return answer.status === 401 ? { status: 200, body: null } : answer
    },
    (deed, { body }) => {
      deed.alive = body !== null
    },
  )
  if (reply?.body === null && life.grants.includes(grant) && grant.access === bearer) life.endedGrant(grant)
}

export async function revokeGrant(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const grant = dice.oneOf(life.grants)
  if (!grant) return
  const at = world.someProcess(dice)
  const byToken = dice.chance(0.5)
  const reply = await browser.do({ kind: 'end-grant', user: life.user, grant: grant.name }, at, (ask) =>
    ask(at, '/api/oauth/revoke', {
      form: { client_id: CLIENT, token: byToken ? grant.access : grant.refresh },
    }),
  )
  if (reply?.status === 200 || isUnknown(reply)) life.endedGrant(grant)
}
