import { v7 as newId } from 'uuid'
import type { Platform } from '../../../../platform/platform.ts'
import { visibleLine } from '../../../../rules/one-line.ts'
import { pictureAddress } from '../../../ground/provider-presets/presets.ts'
import { bySettings } from '../../../ground/settings/holding.ts'
import { updateUserRow } from '../../users/statements.ts'
import * as store from '../store.ts'
import { createUser } from './creation.ts'
import type { Incoming } from './incoming.ts'
import { newUser } from './new-user.ts'

/**
 * With shard and balance, but without the signup reward. False if the address or account is taken.
 */
export async function importUser(platform: Platform, incoming: Incoming): Promise<boolean> {
  const { meta } = platform
  const [first, ...others] = incoming.accounts
  const user = newUser({
    id: incoming.id,
    email: incoming.email,
    name: visibleLine(incoming.name) ?? incoming.email,
    emailVerified: incoming.emailVerified,
    image: pictureAddress(platform.config, incoming.image) ?? null,
    provider: first?.provider ?? 'credential',
    issuer: first?.issuer ?? '',
    providerAccountId: first?.provider === 'credential' ? undefined : first?.providerAccountId,
    passwordHash: first?.passwordHash ?? null,
  })
  const alongside = () => [
    updateUserRow(meta, incoming.id, {
      created_at: incoming.createdAt,
      email_proven_at: incoming.emailVerified ? incoming.createdAt : null,
      suspended_at: incoming.isSuspended ? platform.now() : null,
    }),
    ...others.map((account) => store.insertIncomingAccount(meta, newId(), incoming, account)),
  ]
  const made = await bySettings(platform, ({ credits, ...settings }) =>
    createUser(
      platform,
      { ...settings, credits: { ...credits, signup_reward_enabled: false } },
      user,
      alongside,
    ),
  )
  return made !== undefined
}
