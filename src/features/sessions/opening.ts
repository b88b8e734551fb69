import type { Compilable, Expression } from 'kysely'
import { batchBehind, type Guard } from '../../database/guard.ts'
import { StoreUnavailable } from '../../database/store.ts'
import type { Call } from '../../http/route.ts'
import type { Factors } from '../../rules/caller.ts'
import { auditEntryIf } from '../audit/audit.ts'
import { lockUser } from '../users/statements.ts'
import { endsWithBrowser } from './cookie.ts'
import {
  keepPendingSignIn,
  newPendingSignIn,
  refuseIfSuspended,
  suspended,
} from './second-step/second-step.ts'
import * as store from './second-step/store.ts'
import { trustHashes } from './second-step/trusted-devices.ts'
import { type CookieLife, endFormerSession, giveSession, type NewSession, newSession } from './sessions.ts'
import { sessionOf } from './store.ts'

/** A credential that was shown and is correct. */
interface FirstStep {
  readonly userId: string
  /** An account's provider, or `passkey`. */
  readonly by: string
  /** A passkey that checked who its user is counts as both. */
  readonly counts: 'as one factor' | 'as both factors'
  /** For a credential that works once: makes `isStill` true, unless it was used before. */
  readonly spend?: Compilable<unknown>
  /** A condition, read after the user's row is locked: the credential is still valid. */
  readonly isStill: Expression<unknown>
  readonly alongside?: readonly Compilable<unknown>[]
  /** Of the batch that opens the session, or that begins the second step. */
  readonly guard?: Guard | undefined
  readonly life?: CookieLife | undefined
  /** Where the browser goes once it is signed in. */
  readonly returnTo?: string | undefined
}

export type Method = 'totp' | 'passkey'

/** The result: a session, or the second step that is required. */
type Opening =
  | { readonly session: NewSession; readonly methods?: undefined }
  | { readonly session?: undefined; readonly methods: readonly Method[] }

// Each further turn needs another change of factors or trusted devices between two statements.
const TURNS = 20

/**
 * Decides what follows any first step. Nothing else opens a session for an existing user. Undefined if the
 * credential was changed in the meantime.
 */
export async function openSession(call: Call, step: FirstStep): Promise<Opening | undefined> {
  const { meta, now } = call.platform
  const trusted = trustHashes(call)
  let before: SignInState | undefined
  for (let turn = 1; turn <= TURNS; turn++) {
    const state = await store.signInState(meta, step.userId, trusted, now())
    if (!state) return undefined
    // A new factor or a revoked device can overtake a sign-in. If none did, it was the credential.
    if (before && isSame(before, state)) return undefined
    if (state.suspended_at !== null) throw suspended()
    const opening = await openAs(call, step, state, trusted)
    if (opening) return opening
    before = state
  }
  throw new StoreUnavailable(meta.name)
}

type SignInState = NonNullable<Awaited<ReturnType<typeof store.signInState>>>

function isSame(a: SignInState, b: SignInState): boolean {
  return a.factors === b.factors && a.is_trusted === b.is_trusted
}

function openAs(
  call: Call,
  step: FirstStep,
  { factors, is_trusted }: SignInState,
  trusted: readonly string[],
) {
  const isEnough = step.counts === 'as both factors' || factors === '' || is_trusted === 1
  return isEnough ? openNow(call, step, trusted) : askForSecondStep(call, step, methodsOf(factors))
}

/**
 * For a user who is created in the same batch, and has no second factor that this could bypass. It begins after
 * the user: with `statements`, not before.
 */
export function openFirstSession({ platform, exchange }: Call, userId: string) {
  let session: NewSession | undefined
  return {
    statements() {
      session = newSession(platform, exchange, userId)
      return [...session.statements, ...endFormerSession(platform, exchange, session)]
    },
    give() {
      if (!session) throw new Error('a first session was given before it began')
      giveSession(platform, exchange, session)
      return session.token
    },
  }
}

async function openNow(
  call: Call,
  step: FirstStep,
  trusted: readonly string[],
): Promise<Opening | undefined> {
  const { platform, exchange, client } = call
  const { meta } = platform
  const { userId, isStill } = step
  const isEnough = store.needsNoSecondStep(meta, userId, trusted, platform.now())
  const mayOpen =
    step.counts === 'as both factors' ? isStill : isEnough.where(({ exists }) => exists(isStill))
  const session = newSession(platform, exchange, userId, mayOpen)
  const isOpen = sessionOf(meta, userId, session.id)
  const actor = { id: userId, address: client.address }
  // Changes of credentials and factors take the same lock. A trusted device that is removed meanwhile is
  // removed after this.
  const rows = await batchBehind(meta, step.guard, [
    lockUser(meta, userId),
    step.spend ?? lockUser(meta, userId),
    ...session.statements,
    ...endFormerSession(platform, exchange, session),
    store.touchTrustedDevices(meta, userId, trusted, platform.now()),
    auditEntryIf(platform, actor, { action: 'user.sign_in', details: { provider: step.by } }, isOpen),
    ...(step.alongside ?? []),
  ])
  if (rows.of(session.insertion).length === 0) return refuseIfSuspended(platform, userId, isStill)
  giveSession(platform, exchange, session, step.life)
  return { session }
}

async function askForSecondStep(
  call: Call,
  { userId, by, isStill, alongside, guard, life, returnTo }: FirstStep,
  methods: readonly Method[],
): Promise<Opening | undefined> {
  const { platform, exchange } = call
  const about = {
    user_id: userId,
    first_step: by,
    cookie_life:
      life ?? (endsWithBrowser(exchange, platform.config) ? 'until the browser closes' : 'lasting'),
    return_address: returnTo ?? null,
  } as const
  const pending = newPendingSignIn(platform, about, isStill)
  const rows = await batchBehind(platform.meta, guard, [
    lockUser(platform.meta, userId),
    pending.statement,
    ...(alongside ?? []),
  ])
  if (rows.of(pending.statement).length === 0) return refuseIfSuspended(platform, userId, isStill)
  keepPendingSignIn(platform, exchange, pending.token)
  return { methods }
}

function methodsOf(factors: Factors): readonly Method[] {
  return (['totp', 'passkey'] as const).filter((method) => factors.includes(method))
}
