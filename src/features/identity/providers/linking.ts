import { v7 as newId } from 'uuid'
import type { Provider } from '../../../database/schema/identity.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { iso } from '../../../rules/iso-time.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Actor, actorOf, recordAudit } from '../../audit/audit.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { sendNotice } from '../../mail/notices/notices.ts'
import { socialProviders } from '../../provider-presets/presets.ts'
import { stillSignedIn } from '../../sessions/sessions.ts'
import { currentSettings } from '../../settings/settings.ts'
import { lockUser } from '../../users/statements.ts'
import { configuredIssuer } from './issuers.ts'
import { isAvailable } from './protocol/connection.ts'
import * as store from './store.ts'

export async function listAccounts({ meta }: Platform, userId: string) {
  const rows = await store.accountsOf(meta, userId)
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

/** The end of a link: only for the person who began it, still signed in here. Addresses need not agree. */
export async function linkAccount(
  { platform, exchange, client }: Call,
  userId: string,
  { provider, issuer, id }: store.ProviderAccount,
): Promise<void> {
  const caller = await findCaller(platform, exchange)
  if (caller?.credential.kind !== 'session' || caller.user.id !== userId) throw signedOut()
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
  const [, linked, [session]] = await platform.meta.batch([
    lockUser(platform.meta, userId),
    store.insertAccount(platform.meta, account, stillSignedIn(platform.meta, caller)),
    stillSignedIn(platform.meta, caller),
  ])
  if (!session) throw signedOut()
  if (linked.length === 1) {
    await recordAudit(platform, actorOf({ caller, client }), {
      action: 'account.link',
      details: { provider },
    })
    await sendNotice({ platform, exchange, client }, caller.user, 'provider linked')
    return
  }
  const owner = await store.userIdByAccount(platform.meta, { provider, issuer, id })
  if (owner?.user_id === userId) return
  if (owner) throw new Refusal('ACCOUNT_LINKED_ELSEWHERE', 'That account belongs to somebody else here.')
  throw new Refusal('PROVIDER_ALREADY_LINKED', 'Unlink your other account of this provider first.')
}

function signedOut(): Refusal {
  return new Refusal('UNAUTHORIZED', 'Sign in, then link again.')
}

/** An account of a provider that is switched off, or of a former issuer, does not count as what is left. */
export async function unlinkAccount(
  platform: Platform,
  actor: Actor & { readonly id: string },
  account: { readonly provider: Provider; readonly providerAccountId: string | undefined },
): Promise<void> {
  const accounts = await store.accountsOf(platform.meta, actor.id)
  const isThere = accounts.some(
    (row) =>
      row.provider === account.provider &&
      (account.providerAccountId ?? row.provider_account_id) === row.provider_account_id,
  )
  if (!isThere) throw new Refusal('NOT_FOUND', 'No such account is linked to yours.')
  const waysIn = await openWaysIn(platform)
  const isGone = await store.deleteAccountUnlessLast(platform.meta, actor.id, account, waysIn, platform.now())
  if (!isGone) throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your last way to sign in.')
  await recordAudit(platform, actor, { action: 'account.unlink', details: { provider: account.provider } })
}

async function openWaysIn(platform: Platform): Promise<readonly store.WayIn[]> {
  const { config } = platform
  const settings = await currentSettings(platform)
  const open = socialProviders.filter((provider) => isAvailable(config, settings, provider))
  return (['credential', ...open] as const).map((provider) => ({
    provider,
    issuer: configuredIssuer(config, provider),
  }))
}
