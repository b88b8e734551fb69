import { v7 as newId } from 'uuid'
import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import { Answer, json } from '../../../http/answers/answer.ts'
import type { GrantRules } from '../../../http/grant-rules.ts'
import { IDEMPOTENCY_KEY } from '../../../http/requests/idempotency.ts'
import type { ProtectedCall, ProtectedRoute } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { GrantCredential } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS, DAY_SECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/settings.ts'
import { notificationTo } from '../../operations/notifications/publishing.ts'
import { domainOf } from '../clients/client.ts'
import { noteAct, writeActs } from './acts.ts'
import * as store from './store.ts'

const LIFETIME_MILLISECONDS = 10 * MINUTE_MILLISECONDS
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
      noteAct(call.platform, { ...act, actor_id: credential.act?.sub ?? null }, call.client)
    }
  },
}

function needsApproval({ approval }: GrantCredential, { scope }: ProtectedRoute): boolean {
  return approval === 'everything' || (approval === 'writes' && !scope.endsWith(':read'))
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
  const { keyValue, meta, now } = platform
  await writeActs(platform)
  const calls = await store.countActsSince(meta, grantId, dayStart(now()))
  const key = callsKey(grantId, now())
  await keyValue.delete(key)
  await keyValue.setIfAbsent(key, String(calls), DAY_SECONDS)
}

function callsKey(grantId: string, now: number): string {
  return `grant-calls:${grantId}:${dayStart(now)}`
}

function dayStart(now: number): number {
  return now - (now % DAY_MILLISECONDS)
}

/** In the operator's first language: the program's request does not show that of its user. */
const WORDS: Record<Language, { title(name: string): string; content(route: string): string }> = {
  en: {
    title: (name) => `${name} asks for your approval`,
    content: (route) => `It wants to call ${route}. Approve or deny it within ten minutes.`,
  },
  zh: {
    title: (name) => `${name} 请求您的批准`,
    content: (route) => `它请求调用 ${route}。请在十分钟内批准或拒绝。`,
  },
}

/** The same call under the same key waits once. */
async function wait(call: ProtectedCall, credential: GrantCredential, route: ProtectedRoute, raw: unknown) {
  const { platform, caller, exchange } = call
  const { meta, now } = platform
  const input = JSON.stringify(raw ?? {})
  if (input.length > LONGEST_INPUT) {
    throw new Refusal('PAYLOAD_TOO_LARGE', 'A call that waits for approval has at most 16 KiB.')
  }
  const row = {
    id: newId(),
    grant_id: credential.id,
    user_id: caller.user.id,
    method: route.method,
    path: route.path,
    input,
    state: 'pending' as const,
    key: exchange.header(IDEMPOTENCY_KEY)?.slice(0, 255) ?? null,
    result: null,
    created_at: now(),
    expires_at: now() + LIFETIME_MILLISECONDS,
  }
  const known = await findSame(meta, row)
  if (known) return known
  if ((await store.countPending(meta, caller.user.id, now())) >= MOST_PENDING) {
    throw new Refusal('RATE_LIMITED', 'Too many calls wait for approval.', { retryAfterSeconds: 60 })
  }
  const { brand } = await currentSettings(platform)
  const words = WORDS[brand.languages[0] ?? 'en']
  const told = notificationTo(platform, caller.user.id, {
    type: 'approval',
    title: words.title(nameOf(credential)),
    content: words.content(route.path),
    link: `${platform.config.baseUrl}/settings/access`,
  })
  return meta.batch([store.insertApproval(meta, row), ...told]).then(
    () => row,
    async (error: unknown) => {
      // The same call came twice at once, and the other was first.
      const first = error instanceof ConstraintViolation ? await findSame(meta, row) : undefined
      if (!first) throw error
      return first
    },
  )
}

async function findSame(meta: Meta, { grant_id, key, path, input }: ApprovalTable) {
  if (key === null) return undefined
  const known = await store.approvalByKey(meta, grant_id, key)
  if (known && (known.path !== path || known.input !== input)) {
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was already used with a different body.',
    )
  }
  return known
}

function nameOf({ clientName, clientId }: GrantCredential): string {
  const domain = domainOf(clientId)
  return domain === null ? clientName : `${clientName} (${domain})`
}
