import type { AccountTable } from '../../../database/schema/people/account.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { visibleLine } from '../../../rules/one-line.ts'
import type { DataPatch } from '../../../rules/product-data.ts'
import { pictureAddress } from '../../ground/provider-presets/presets.ts'
import { bySettings } from '../../ground/settings/current-settings.ts'
import { firstData } from '../product-data/product-data.ts'
import { formerAddress } from '../users/email-changes.ts'
import { updateUserRow, userByEmail, userById } from '../users/statements.ts'
import { createBalance, decideNewcomer, newUser, undefinedIfTaken } from './creation.ts'
import { accountAt } from './providers/store.ts'
import * as store from './store.ts'

/** A user who had an account elsewhere. */
export interface IncomingUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly createdAt: number
  readonly isSuspended: boolean
  readonly accounts: readonly IncomingAccount[]
  readonly data?: DataPatch | undefined
}

export type IncomingAccount = Pick<AccountTable, 'provider' | 'issuer' | 'provider_account_id' | 'password_hash'>

/** Assigns a shard and opens a balance without the signup reward. Returns false if the address or account is taken. */
export async function importUser(platform: Platform, incoming: IncomingUser): Promise<boolean> {
  const created = await bySettings(platform, async ({ credits, ...settings }) => {
    const withoutReward = { ...settings, credits: { ...credits, signup_reward_enabled: false } }
    return decideNewcomer({ platform }, withoutReward, newcomerOf(platform, incoming), [], async (act, created) => {
      if (created) act.write(...restOf(platform, incoming))
      if (created && incoming.isSuspended) act.record('user.suspended', { user: created.user, data: {} })
      if (created && incoming.data) firstData(act, platform, incoming.id, [incoming.data], 'replaced')
      return created
    })
  }).catch(undefinedIfTaken)
  if (created) await createBalance(platform, created)
  return created !== undefined
}

/** True if `importUser` would return false. */
export async function isTaken({ meta, now }: Platform, { id, email, accounts }: IncomingUser): Promise<boolean> {
  const found = await Promise.all([
    meta.primary.run(userById(meta.primary, id).select('id')),
    meta.primary.run(userByEmail(meta.primary, email).select('id')),
    meta.primary.run(formerAddress(meta.primary, email, now())),
    ...accounts.flatMap(({ provider, issuer, provider_account_id: id }) =>
      provider === 'credential' ? [] : [meta.primary.run(accountAt(meta, { provider, issuer, id }))],
    ),
  ])
  return found.some((rows) => rows.length > 0)
}

function newcomerOf({ config }: Platform, { id, email, name, emailVerified, image, accounts: [first] }: IncomingUser) {
  return newUser({
    id,
    email,
    name: visibleLine(name) ?? email,
    email_verified: emailVerified ? 1 : 0,
    image: pictureAddress(config, image) ?? null,
    ...first,
  })
}

/** The rows and columns that only an imported user has. */
function restOf(
  { meta, now }: Platform,
  { id, createdAt: created_at, emailVerified, isSuspended, accounts }: IncomingUser,
) {
  const common = { user_id: id, password_is_initial: 0, created_at, updated_at: created_at } as const
  const email_proven_at = emailVerified ? created_at : null
  return [
    updateUserRow(meta, id, { created_at, email_proven_at, suspended_at: isSuspended ? now() : null }),
    ...accounts.slice(1).map((account) => store.insertAccount(meta, { id: newId(), ...account, ...common })),
  ]
}
