import { v7 as newId } from 'uuid'
import type { Platform } from '../../../platform/platform.ts'
import { visibleLine } from '../../../rules/one-line.ts'
import { pictureAddress } from '../../ground/provider-presets/presets.ts'
import { bySettings } from '../../ground/settings/holding.ts'
import { updateUserRow } from '../users/statements.ts'
import { createUser } from './creation.ts'
import type { Incoming } from './incoming.ts'
import { newUser } from './new-user.ts'
import * as store from './store.ts'

/** Has a shard and a balance, but no signup reward. False if the address or account is taken. */
export async function importUser(platform: Platform, incoming: Incoming): Promise<boolean> {
  const { meta, now } = platform
  const { id, email, createdAt: created_at } = incoming
  const [first, ...others] = incoming.accounts
  const user = newUser({
    id,
    email,
    name: visibleLine(incoming.name) ?? email,
    email_verified: incoming.emailVerified ? 1 : 0,
    image: pictureAddress(platform.config, incoming.image) ?? null,
    ...first,
  })
  const common = { user_id: id, password_is_initial: 0, created_at, updated_at: created_at } as const
  const alongside = () => [
    updateUserRow(meta, id, {
      created_at,
      email_proven_at: incoming.emailVerified ? created_at : null,
      suspended_at: incoming.isSuspended ? now() : null,
    }),
    ...others.map((account) => store.insertAccount(meta, { id: newId(), ...account, ...common })),
  ]
  const made = await bySettings(platform, ({ credits, ...settings }) =>
    createUser(platform, { ...settings, credits: { ...credits, signup_reward_enabled: false } }, user, alongside),
  )
  return made !== undefined
}
