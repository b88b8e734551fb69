import { refuseRestricted } from '../../../../http/protect.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { iso } from '../../../../rules/time.ts'
import { lacksVerification } from '../../../../rules/verification.ts'
import { socialProviders } from '../../../ground/provider-presets/presets.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { decideSignedIn } from '../../sessions/sessions.ts'
import { endPendingSignInsBy } from '../../sessions/statements.ts'
import { passkeyAlone } from '../statements.ts'
import type { UnlinkAccount } from './input.ts'
import { configuredIssuer } from './issuers.ts'
import { isAvailable } from './protocol/connection.ts'
import { providerNamed } from './provider-name.ts'
import * as store from './store.ts'

export async function listAccounts({ meta }: Platform, userId: string) {
  const rows = await store.accountRowsOf(meta, userId).execute()
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
  { platform, exchange, sender }: Call,
  userId: string,
  { provider, issuer, id }: store.ProviderAccount,
  settings: Settings,
): Promise<void> {
  const caller = await findCaller(platform, exchange)
  if (caller?.credential.kind !== 'session' || caller.user.id !== userId)
    throw new Refusal('UNAUTHORIZED', 'Sign in, then link again.')
  refuseRestricted(caller)
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
  const read = [store.accountsAt(meta, userId, provider), store.accountAt(meta, { provider, issuer, id })] as const
  const signedIn = { platform, exchange, sender, caller, settings }
  await decideSignedIn(signedIn, read, async (act, user, [present], [linked]) => {
    if (linked?.user_id === userId) return
    if (linked) throw linkedElsewhere()
    if (present) throw new Refusal('PROVIDER_ALREADY_LINKED', 'Unlink your other account of this provider first.')
    act.write(store.insertAccount(meta, account))
    act.record('account.link', { user, details: { provider } })
  }).catch((error: unknown) => {
    // Another user linked it at the same moment.
    throw store.isTaken(error) ? linkedElsewhere() : error
  })
}

function linkedElsewhere(): Refusal {
  return new Refusal('ACCOUNT_LINKED_ELSEWHERE', 'That account is linked to another user.')
}

/**
 * The rest must be enough to sign in: accounts of a disabled provider or of a former issuer do not count, nor does a
 * passkey that cannot sign in on its own.
 */
export async function unlinkAccount(call: SignedInCall, asked: UnlinkAccount): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const { id } = caller.user
  const isAsked = askedIn(platform, asked)
  const settings = await currentSettings(platform, caller.settingsRevision)
  const methods = availableMethods(platform, settings)
  const read = [store.accountRowsOf(meta, id), usablePasskey(call, settings)] as const
  await decideSignedIn(call, read, async (act, user, accounts, [passkey]) => {
    const unlinked = accounts.filter(isAsked)
    const [first] = unlinked
    if (!first) throw new Refusal('NOT_FOUND', 'No such account is linked to yours.')
    if (!passkey && !accounts.some((row) => !isAsked(row) && isUsable(row, methods)))
      throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your only sign-in method.')
    act.write(
      ...unlinked.map((row) => store.deleteAccount(meta, row.id)),
      endPendingSignInsBy(meta, id, first.provider),
    )
    act.record('account.unlink', { user, details: { provider: first.provider } })
  })
}

function askedIn({ config }: Platform, asked: UnlinkAccount) {
  if (!('providerId' in asked)) return ({ id }: store.AccountRow) => id === asked.accountId
  const provider = providerNamed(config, asked.providerId)
  return (row: store.AccountRow) =>
    row.provider === provider && (asked.accountId ?? row.provider_account_id) === row.provider_account_id
}

function isUsable(row: store.AccountRow, methods: readonly store.SignInMethod[]): boolean {
  return methods.some(({ provider, issuer }) => row.provider === provider && row.issuer === issuer)
}

/**
 * The user must be locked. Without any provider, signing in with a passkey needs a verified address if passwords do.
 */
function usablePasskey({ platform, caller: { user } }: SignedInCall, { authentication }: Settings) {
  return lacksVerification(authentication, user) ? undefined : passkeyAlone(platform.meta, user.id)
}

/** A password or a provider account that lets the user in. The user must be locked. */
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
