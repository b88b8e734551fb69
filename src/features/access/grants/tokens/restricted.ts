import type { Platform } from '../../../../platform/platform.ts'
import type { Factors, Role } from '../../../../rules/caller.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { lacksRequiredFactor } from '../../../../rules/second-factor.ts'
import { lacksRequiredVerification } from '../../../../rules/verification.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import type { Client } from '../../clients/client.ts'

interface Person {
  readonly role: Role
  readonly staff_scopes: string | null
  readonly factors: Factors
  readonly email: string
  readonly email_verified: number
  readonly settings_revision: string | null
}

/** The client was read with the settings, and only if these require something is the person read too. */
export async function refuseIfRestricted(
  platform: Platform,
  { settingsRevision }: Client,
  findPerson: () => Promise<Person | undefined>,
): Promise<void> {
  if (settingsRevision !== undefined) {
    const { authentication } = await currentSettings(platform, settingsRevision)
    const { email_verification_required, second_factor } = authentication
    if (!email_verification_required && !second_factor.startsWith('required')) return
  }
  await refuseRestricted(platform, await findPerson())
}

/** Uses nothing up: the code works once the user has done what the settings require. */
export async function refuseRestricted(platform: Platform, person: Person | undefined): Promise<void> {
  if (!person) return
  const { authentication } = await currentSettings(platform, person.settings_revision ?? undefined)
  const who = person.role === 'administrator' ? 'administrator' : 'user'
  if (lacksRequiredVerification(authentication, person))
    throw oauthRefusal('interaction_required', `The ${who} has to verify the email address first.`)
  if (!lacksRequiredFactor(authentication, person)) return
  throw oauthRefusal('interaction_required', `The ${who} has to add a second factor first.`)
}
