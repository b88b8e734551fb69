import type {
  OrganizationInvitationTable,
  OrganizationTable,
} from '../../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { isSynthetic } from '../../../../rules/email.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { newToken } from '../../../../rules/tokens.ts'
import { refuseFullQueue } from '../../../delivery/mail/queue.ts'
import { isMailAvailable } from '../../../delivery/mail/sender.ts'
import { letter } from '../../../ground/letters/letters.ts'
import { countUses, type Use } from '../../../ground/limits/limits.ts'
import { settingsOf } from '../../../ground/settings/current-settings.ts'
import { insertLink } from '../../memberships/invitation-statements.ts'

/** True unless the address has been sent as many as its owner can bear; then the answer is the same. */
export type IsSent = boolean

/** Counts a letter that is about to be sent. */
export async function countInvitationLetter(
  call: SignedInCall,
  organizationId: string,
  email: string,
): Promise<IsSent> {
  const { platform, caller } = call
  if (isSynthetic(email)) throw new Refusal('EMAIL_DOMAIN_NOT_ALLOWED', 'Mail cannot be delivered to this address.')
  if (!isMailAvailable(platform, await settingsOf(call))) {
    throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'This service cannot send mail right now.')
  }
  await refuseFullQueue(platform)
  const limited = await refusalOf(platform, [
    { limit: 'organization-letters', subject: organizationId },
    { limit: 'inviter-letters', subject: caller.user.id },
  ])
  if (limited) {
    const { retryAfterSeconds = 1 } = limited
    throw new Refusal('TOO_MANY_LETTERS', 'As many invitations were sent as a day allows. Try again tomorrow.', {
      retryAfterSeconds,
    })
  }
  return (await refusalOf(platform, [{ limit: 'invitations-to-address', subject: email }])) === undefined
}

async function refusalOf(platform: Platform, uses: readonly Use[]): Promise<Refusal | undefined> {
  try {
    await countUses(platform, uses)
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') return error
    throw error
  }
}

type Invitation = Pick<OrganizationInvitationTable, 'id' | 'email' | 'expires_at'>

/** The letter with a link of its own. */
export function invitationLetter(
  platform: Platform,
  invitation: Invitation,
  { name: organization }: Pick<OrganizationTable, 'name'>,
  { name, email: address }: { readonly name: string; readonly email: string },
) {
  const { id, email: to, expires_at: expiresAt } = invitation
  const link = newToken('link')
  const content = { about: 'organization invitation', organization, inviter: { name, address }, link } as const
  return [
    insertLink(platform.meta, linkHash(platform, link), id),
    letter(platform, { kind: 'organization invitation', to, expiresAt, content }),
  ] as const
}

/** Keyed, as the hashes of all mailed secrets are. */
export function linkHash({ signer }: Pick<Platform, 'signer'>, link: string): string {
  return signer.digest('organization-invitation', link)
}
