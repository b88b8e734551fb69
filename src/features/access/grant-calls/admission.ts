import type { GrantActTable } from '../../../database/schema/products/approvals.ts'
import type { Meta } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { CallOutcome, GrantCall } from '../../../http/grant-call.ts'
import type { Sender } from '../../../http/sender/sender.ts'
import type { Platform } from '../../../platform/platform.ts'
import { actorIdOf, type GrantCredential } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS, DAY_SECONDS } from '../../../rules/time.ts'

/**
 * Every route that accepts a grant's token finds its caller here: the call counts, and is listed once its response is
 * known. A caller found again within one request does not count again.
 */
export async function admit(platform: Platform, exchange: Exchange, credential: GrantCredential): Promise<void> {
  const { grantCall } = exchange
  if (grantCall?.grantId === credential.id) return
  if (grantCall) throw new Error('a request with the tokens of two grants')
  if (await isBeyondLimit(platform, credential)) {
    noteUnlisted(platform, credential.id)
    throw usedUp(platform.now())
  }
  exchange.grantCall = new ListedCall(platform, exchange, credential)
}

class ListedCall implements GrantCall {
  readonly grantId: string
  readonly #platform: Platform
  readonly #exchange: Exchange
  #actorId: string | null
  #route: string | undefined
  #approvalId: string | null = null
  #isNoted = false

  constructor(platform: Platform, exchange: Exchange, credential: GrantCredential) {
    this.#platform = platform
    this.#exchange = exchange
    this.grantId = credential.id
    this.#actorId = actorIdOf(credential)
  }

  standsFor(route: string): void {
    this.#route = route
  }

  presentedBy(applicationId: string): void {
    this.#actorId = applicationId
  }

  waitsFor(approvalId: string): void {
    this.#approvalId = approvalId
  }

  answered(route: string, { status, code }: CallOutcome): void {
    if (this.#isNoted) return
    this.#isNoted = true
    const act = {
      grant_id: this.grantId,
      path: this.#route ?? route,
      approval_id: this.#approvalId,
      actor_id: this.#actorId,
      status,
      code: code ?? null,
    }
    noteAct(this.#platform, act, this.#exchange.sender)
  }
}

/** The count is exact across processes; only a grant with a limit pays for it. */
async function isBeyondLimit({ keyValue, now }: Platform, { id, dailyLimit }: GrantCredential) {
  if (dailyLimit === null) return false
  return (await keyValue.increment(callsKey(id, now()), DAY_SECONDS)) > dailyLimit
}

function usedUp(now: number): Refusal {
  const left = (dayStart(now) + DAY_MILLISECONDS - now) / 1_000
  return new Refusal('RATE_LIMITED', 'This connection has used up its calls for today.', {
    retryAfterSeconds: left,
  })
}

export function callsKey(grantId: string, now: number): string {
  return `grant-calls:${grantId}:${dayStart(now)}`
}

export function dayStart(now: number): number {
  return now - (now % DAY_MILLISECONDS)
}

/** Calls not written yet, by the store they belong to. */
const waitingOf = new WeakMap<Meta, Unwritten>()

export type NotedAct = Omit<GrantActTable, 'id'>

export interface Unwritten {
  readonly acts: NotedAct[]
  /** Taken from the acts, to be written in parts. */
  ordered: GrantActTable[]
  /** How many calls have been noted so far. */
  noted: number
  /** How many of them were noted when the last acts were taken, and how many are known to be written. */
  taken: number
  written: number
  /** Calls that are counted and not listed, by the key of their count. */
  readonly unlisted: Map<string, number>
  /** One write at a time. */
  writing: Promise<void> | undefined
}

export function waitingFor(meta: Meta): Unwritten {
  const known = waitingOf.get(meta)
  if (known) return known
  const counts = { noted: 0, taken: 0, written: 0 }
  const waiting: Unwritten = { acts: [], ordered: [], ...counts, unlisted: new Map(), writing: undefined }
  waitingOf.set(meta, waiting)
  return waiting
}

export const ACTS_JOB = 'grant-acts'

/**
 * Acts are written soon afterwards, many together: a write for each read of a program would cost more than the read.
 */
export function noteAct(
  { meta, background, now }: Platform,
  act: Omit<NotedAct, 'ip' | 'created_at'>,
  { address }: Sender,
): void {
  const waiting = waitingFor(meta)
  const { acts } = waiting
  acts.push({ ip: address, created_at: now(), ...act })
  waiting.noted++
  if (acts.length === 1) background.wake(ACTS_JOB)
}

/** A program that goes on after its limit must not push its own earlier acts out of the list. */
function noteUnlisted({ meta, now }: Platform, grantId: string): void {
  addUnlisted(waitingFor(meta), { grant_id: grantId, created_at: now() })
}

export function addUnlisted(waiting: Unwritten, act: Pick<GrantActTable, 'grant_id' | 'created_at'>) {
  const { unlisted } = waiting
  const key = unlistedKey(act.grant_id, dayStart(act.created_at))
  unlisted.set(key, (unlisted.get(key) ?? 0) + 1)
  waiting.noted++
}

/** The number of a day's calls that are not in the list. */
export function unlistedKey(grantId: string, day: number): string {
  return `grant-acts-dropped:${grantId}:${day}`
}
