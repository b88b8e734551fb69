import { v7 as newId } from 'uuid'
import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { Answer, json } from '../../../http/answers/answer.ts'
import type { GrantRules } from '../../../http/grant-rules.ts'
import { keyOf } from '../../../http/requests/idempotency.ts'
import type { ProtectedCall, ProtectedRoute } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { GrantCredential } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS, DAY_SECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { notificationTo } from '../../operations/notifications/publishing.ts'
import { lockUser } from '../../people/users/statements.ts'
import { domainOf } from '../clients/client.ts'
import { namesOfApplications } from '../clients/statements.ts'
import { callsSince, noteAct, writeActs } from './acts.ts'
import { fingerprintOf, openedInput, sealedInput } from './contents.ts'
import * as store from './store.ts'

/** To decide, and then for the program to collect the result. */
export const LIFETIME_MILLISECONDS = 10 * MINUTE_MILLISECONDS
/** More than a person can look at. */
const MOST_PENDING = 50
/** A longer one could not be shown as a whole. */
const LONGEST_INPUT = 16 * 1024

export const grantRules: GrantRules = {
  async run(call, route, raw, { check, work }) {
    const { credential } = call.caller
    if (credential.kind === 'session') return work()
    let status = 500
    let approvalId: string | null = null
    try {
      await countCall(call.platform, credential)
      if (needsApproval(credential, route)) {
        refuseStream(route)
        await check()
        const waiting = await wait(call, credential, route, raw)
        approvalId = waiting.id
        status = 202
        return json(
          { code: 'APPROVAL_REQUIRED', approval_id: waiting.id, expires_at: waiting.expires_at },
          202,
        )
      }
      const output = await work()
      status = output instanceof Answer ? output.status : 200
      return output
    } catch (error) {
      if (error instanceof Refusal) status = error.status
      throw error
    } finally {
      const act = { grant_id: credential.id, path: route.path, approval_id: approvalId, status }
      noteAct(call.platform, { ...act, actor_id: actorIdOf(credential) }, call.sender)
    }
  },
}

function needsApproval({ approval }: GrantCredential, { scope }: ProtectedRoute): boolean {
  return approval === 'everything' || (approval === 'writes' && !scope.endsWith(':read'))
}

/** The service that acts through a connection of another program. */
export function actorIdOf({ act }: GrantCredential): string | null {
  return act?.sub ?? null
}

/** Exact over all processes; only a grant with a limit pays for it. */
async function countCall({ keyValue, now }: Platform, { id, dailyLimit }: GrantCredential): Promise<void> {
  if (dailyLimit === null) return
  const calls = await keyValue.increment(callsKey(id, now()), DAY_SECONDS)
  if (calls <= dailyLimit) return
  const left = (dayStart(now()) + DAY_MILLISECONDS - now()) / 1_000
  throw new Refusal('RATE_LIMITED', 'This connection has used up its calls of today.', {
    retryAfterSeconds: left,
  })
}

/** When a limit is set: the calls that were made today before it count too. */
export async function beginCount(platform: Platform, grantId: string): Promise<void> {
  const { keyValue, now } = platform
  await writeActs(platform)
  const calls = await callsSince(platform, grantId, dayStart(now()))
  const key = callsKey(grantId, now())
  await keyValue.delete(key)
  await keyValue.setIfAbsent(key, String(calls), DAY_SECONDS)
}

/** It has no result that could be kept for the program. */
function refuseStream({ mediaType }: ProtectedRoute): void {
  if (mediaType !== 'text/event-stream') return
  throw new Refusal('FORBIDDEN', 'A stream cannot wait for approval. Ask for the list instead.')
}

function callsKey(grantId: string, now: number): string {
  return `grant-calls:${grantId}:${dayStart(now)}`
}

function dayStart(now: number): number {
  return now - (now % DAY_MILLISECONDS)
}

/** In the operator's first language: the program's request does not show that of its user. */
interface Words {
  title(name: string): string
  through(service: string, name: string): string
  content(route: string): string
}

const WORDS: Record<Language, Words> = {
  en: {
    through: (service, name) => `${service}, through ${name},`,
    title: (name) => `${name} asks for your approval`,
    content: (route) => `It wants to call ${route}. Approve or deny it within ten minutes.`,
  },
  zh: {
    through: (service, name) => `${service}（通过 ${name}）`,
    title: (name) => `${name} 请求您的批准`,
    content: (route) => `它请求调用 ${route}。请在十分钟内批准或拒绝。`,
  },
}

/** The same call under the same key waits once. */
async function wait(call: ProtectedCall, credential: GrantCredential, route: ProtectedRoute, raw: unknown) {
  const { platform, caller } = call
  const { meta, now } = platform
  const { id: userId } = caller.user
  const row = waitingRow(call, credential, route, raw)
  const { brand } = await currentSettings(platform)
  const words = WORDS[brand.languages[0] ?? 'en']
  const told = notificationTo(platform, userId, {
    id: row.id,
    type: 'approval',
    title: words.title(await askerNamed(platform, credential, words)),
    content: words.content(route.path),
    link: `${platform.config.baseUrl}/settings/access`,
  })
  return meta.decide(
    [
      lockUser(meta, userId),
      row.key === null ? undefined : store.approvalByKey(meta, credential.id, row.key),
      store.countPending(meta, userId, now()),
    ],
    async (decision, [user], [known], [pending]) => {
      if (!user) throw new Refusal('UNAUTHORIZED', 'Sign in first.')
      if (known) return sameCall(platform, known, row)
      if ((pending?.total ?? 0) >= MOST_PENDING)
        throw new Refusal('RATE_LIMITED', 'Too many calls wait for approval.', { retryAfterSeconds: 60 })
      decision.write(store.insertApproval(meta, row), ...told)
      return row
    },
  )
}

function waitingRow(
  { platform, caller, exchange }: ProtectedCall,
  credential: GrantCredential,
  route: ProtectedRoute,
  raw: unknown,
): ApprovalTable {
  const id = newId()
  const input = JSON.stringify(raw ?? {})
  if (input.length > LONGEST_INPUT) {
    throw new Refusal('PAYLOAD_TOO_LARGE', 'A call that waits for approval has at most 16 KiB.')
  }
  return {
    id,
    grant_id: credential.id,
    user_id: caller.user.id,
    method: route.method,
    path: route.path,
    input: sealedInput(platform, id, input),
    fingerprint: fingerprintOf(platform, input),
    state: 'pending',
    ...askedBy(credential, platform.now()),
    key: ofProgram(credential, keyOf(exchange, route)),
    result: null,
    sealed_result: null,
    collected_at: null,
  }
}

/** An exchanged token is not renewed, so what it asked for ends with it. */
function askedBy(credential: GrantCredential, now: number) {
  const { scopes, act, tokenHash, tokenExpiresAt } = credential
  const end = now + LIFETIME_MILLISECONDS
  return {
    scopes: scopes.join(' '),
    token_hash: (act && tokenHash) ?? null,
    actor_id: actorIdOf(credential),
    created_at: now,
    expires_at: act ? Math.min(end, tokenExpiresAt) : end,
  }
}

/** A key itself has no line break. */
function ofProgram(credential: GrantCredential, key: string | undefined): string | null {
  if (key === undefined) return null
  const service = actorIdOf(credential)
  return service === null ? key : `${service}\n${key}`
}

/** As the program sent it. */
export function sentKeyOf({ key }: ApprovalTable): string | undefined {
  return key?.split('\n').at(-1)
}

/** The input of a row of 0.3.0 says so itself, until it is gone. */
function sameCall<Known extends Pick<ApprovalTable, 'id' | 'path' | 'input' | 'fingerprint'>>(
  platform: Platform,
  known: Known,
  { path, fingerprint }: ApprovalTable,
): Known {
  const input = known.fingerprint === null ? openedInput(platform, known) : undefined
  const knownBy = input === undefined ? known.fingerprint : fingerprintOf(platform, input)
  if (known.path === path && (knownBy ?? fingerprint) === fingerprint) return known
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used with a different body.')
}

async function askerNamed(
  { meta }: Platform,
  credential: GrantCredential,
  { through }: Words,
): Promise<string> {
  const service = actorIdOf(credential)
  if (service === null) return nameOf(credential)
  const names = await namesOfApplications(meta, [service])
  return through(names.get(service) ?? service, nameOf(credential))
}

function nameOf({ clientName, clientId }: GrantCredential): string {
  const domain = domainOf(clientId)
  return domain === null ? clientName : `${clientName} (${domain})`
}
