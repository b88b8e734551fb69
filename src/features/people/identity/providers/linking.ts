import { v7 as newId } from 'uuid'
import { batchBehind, type Guard } from '../../../../database/guard.ts'
import type { Provider } from '../../../../database/schema/people/identity.ts'
import { refuseHeldBack } from '../../../../http/protect.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { iso } from '../../../../rules/iso-time.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { noticeToOwnerIf } from '../../../delivery/mail/notices/notices.ts'
import { type Act, actorOf, auditEntryIf, auditedOnce } from '../../../ground/audit/audit.ts'
import { socialProviders } from '../../../ground/provider-presets/presets.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { currentSettings } from '../../../ground/settings/settings.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { passkeyAlone } from '../../factors/statements.ts'
import { holdSession, stillSignedIn, whileSignedIn } from '../../sessions/sessions.ts'
import { endPendingSignInsBy } from '../../sessions/statements.ts'
import { lockUser } from '../../users/statements.ts'
import { configuredIssuer } from './issuers.ts'
import { isAvailable } from './protocol/connection.ts'
import * as store from './store.ts'

export async function listAccounts({ meta }: Platform, userId: string) {
  const rows = await store.accountRowsOf(meta, userId)
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    providerId: row.provider,
    accountId: row.provider_account_id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    scopes: [],
    passwordIsInitial: row.password_is_initial === 1,
  }))
}

/** Completes a link, only for the user who began it and is still signed in here. The addresses can differ. */
export async function linkAccount(
  { platform, exchange, client }: Call,
  userId: string,
  { provider, issuer, id }: store.ProviderAccount,
  guard: Guard,
): Promise<void> {
  const caller = await findCaller(platform, exchange)
  if (caller?.credential.kind !== 'session' || caller.user.id !== userId) throw signedOut()
  refuseHeldBack(caller)
  const now = platform.now()
  const account = {
    id: newId(),
    user_id: userId,
    provider,
    issuer,
    provider_account_id: id,
    created_at: now,
    updated_at: now,
  }
  const { meta } = platform
  const isLinked = store.accountWithId(meta, account.id)
  const act: Act = { action: 'account.link', details: { provider } }
  const session = holdSession(meta, caller)
  const link = store.insertAccount(meta, account, stillSignedIn(meta, caller))
  const rows = await batchBehind(meta, guard, [
    lockUser(meta, userId),
    session,
    link,
    auditEntryIf(platform, actorOf({ caller, client }), act, isLinked),
    ...(await noticeToOwnerIf({ platform, exchange, client }, caller.user, 'provider linked', isLinked)),
  ])
  if (rows.of(session).length === 0) throw signedOut()
  if (rows.of(link).length === 1) return
  const owner = await store.userIdByAccount(platform.meta, { provider, issuer, id })
  if (owner?.user_id === userId) return
  if (owner) throw new Refusal('ACCOUNT_LINKED_ELSEWHERE', 'That account is linked to another user.')
  throw new Refusal('PROVIDER_ALREADY_LINKED', 'Unlink your other account of this provider first.')
}

function signedOut(): Refusal {
  return new Refusal('UNAUTHORIZED', 'Sign in, then link again.')
}

/**
 * What remains must be enough to sign in: accounts of a disabled provider or of a former issuer do not count,
 * nor does a passkey that cannot sign in on its own.
 */
export async function unlinkAccount(call: SignedInCall, account: store.LinkedTo): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const { id } = caller.user
  const accounts = await store.accountRowsOf(meta, id)
  const isThere = accounts.some(
    (row) =>
      row.provider === account.provider &&
      (account.providerAccountId ?? row.provider_account_id) === row.provider_account_id,
  )
  if (!isThere) throw new Refusal('NOT_FOUND', 'No such account is linked to yours.')
  const { provider } = account
  const canGo = store.accountUnlessLast(meta, id, account, await othersThan(provider, call))
  const act: Act = { action: 'account.unlink', details: { provider } }
  const { entry, isDone } = auditedOnce(platform, actorOf(call), act, canGo)
  const deletion = store.deleteAccount(meta, id, account, isDone)
  // The guard locks the user's row; every change of accounts and passkeys locks it first.
  const rows = await batchBehind(meta, whileSignedIn(platform, caller), [
    entry,
    deletion,
    endPendingSignInsBy(meta, id, provider).where(({ exists }) => exists(isDone)),
    ...(await noticeToOwnerIf(call, caller.user, 'provider unlinked', isDone)),
  ])
  if (rows.of(deletion).length > 0) return
  throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your last way to sign in.')
}

async function othersThan(unlinked: Provider, { platform, caller }: SignedInCall) {
  const { meta } = platform
  const { id, emailVerified } = caller.user
  const settings = await currentSettings(platform, caller.settingsRevision)
  const accounts = availableMethods(platform, settings).filter(({ provider }) => provider !== unlinked)
  // Without any provider, signing in with a passkey needs a verified address if passwords do.
  const mayUsePasskey = emailVerified || !settings.authentication.email_verification_required
  return [store.accountToSignInWith(meta, id, accounts), ...(mayUsePasskey ? [passkeyAlone(meta, id)] : [])]
}

/** A condition: a password or a provider lets the user in. */
export async function usableAccount(platform: Platform, userId: string) {
  const settings = await currentSettings(platform)
  return store.accountToSignInWith(platform.meta, userId, availableMethods(platform, settings))
}

function availableMethods({ config }: Platform, settings: Settings): readonly store.SignInMethod[] {
  const open = socialProviders.filter((provider) => isAvailable(config, settings, provider))
  return (['credential', ...open] as const).map((provider) => ({
    provider,
    issuer: configuredIssuer(config, provider),
  }))
}
