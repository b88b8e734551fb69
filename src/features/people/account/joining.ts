import { z } from 'zod'
import { Asked } from '../../../database/asking.ts'
import type { OrganizationInvitationTable } from '../../../database/schema/people/organizations.ts'
import type { Call } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { askHook, type HookQuestion } from '../../ground/hooks/asking.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { bySettings, settingsOf } from '../../ground/settings/current-settings.ts'
import { invitationByLink } from '../memberships/invitation-statements.ts'
import {
  factsOfInvitation,
  joinBy,
  judgeInvitation,
  seenFactsOfInvitation,
} from '../organizations/invitations/answering.ts'
import { endInvitation } from '../organizations/invitations/inviting.ts'
import { linkHash } from '../organizations/invitations/letters.ts'
import { endEarlierSessions, firstSession, giveSession, sessionsHere } from '../sessions/sessions.ts'
import { activateTeam } from '../sessions/statements.ts'
import { findUserByEmail } from '../users/statements.ts'
import { addressTaken, createBalance, decideNewcomer, type NewUser, newUser, originOf } from './creation.ts'
import { refuseForeignDomain } from './email-rules.ts'
import type { AcceptInvitation } from './input.ts'
import { refuseDeadInvitation, setFirstPassword } from './invitation.ts'
import { rememberBrowser } from './known-browser.ts'
import { refuseWeakPassword } from './password-rules.ts'

interface Shown {
  readonly email: string
  readonly link: string
}

type Found = OrganizationInvitationTable

/** The invitation to an organisation whose letter has this link; the administrator's letters have others. */
export async function findJoining({ platform }: Call, { email, link }: Shown): Promise<Found | undefined> {
  const found = await invitationByLink(platform.meta.primary, linkHash(platform, link)).executeTakeFirst()
  return found?.email === email ? found : undefined
}

export const ShownInvitation = z.object({
  /** Null if the administrator has invited to the service itself. */
  organization: z
    .object({ id: z.string(), name: z.string(), slug: z.string(), logo: z.string().nullable() })
    .nullable(),
  inviter: z.object({ name: z.string(), email: z.string() }).nullable(),
  role: z.string().nullable(),
  /** A user who has an account signs in, and accepts with the secret of the link. */
  hasAccount: z.boolean(),
})

/** What the page of a letter's link shows, before anybody has signed in. */
export async function showInvitation(call: Call, shown: Shown): Promise<z.output<typeof ShownInvitation>> {
  const found = await findJoining(call, shown)
  if (!found) {
    await refuseDeadInvitation(call, shown)
    return { organization: null, inviter: null, role: null, hasAccount: true }
  }
  const { organization, invitation, inviter } = await judgeNow(call, found)
  const { id, name, slug, logo } = organization
  return {
    organization: { id, name, slug, logo },
    inviter: inviter && { name: inviter.name, email: inviter.email },
    role: invitation.roles,
    hasAccount: (await findUserByEmail(call.platform.meta, shown.email)) !== undefined,
  }
}

async function judgeNow(call: Call, found: Found) {
  const { platform } = call
  const settings = await settingsOf(call)
  const rows = await platform.meta.snapshot(seenFactsOfInvitation(platform.meta, found), 'primary')
  return judgeInvitation(platform, settings, rows)
}

/** Refuses what cannot succeed, before any expensive work. */
export async function refuseJoining(call: Call, found: Found): Promise<void> {
  refuseForeignDomain(await settingsOf(call), found.email)
  await judgeNow(call, found)
  if (await findUserByEmail(call.platform.meta, found.email)) throw addressTaken()
}

/** With a password: the first one of a user whom the administrator has invited, or that of a new account. */
export async function acceptInvitation(call: Call, sent: AcceptInvitation) {
  const { platform, sender } = call
  const { email, password, name = email } = sent
  const found = await findJoining(call, sent)
  if (found) {
    await refuseWeakPassword(platform, email, password)
    await refuseJoining(call, found)
    const password_hash = await platform.passwords.hash(password, requesterOf(sender, email))
    await join(call, found, { email, name, password_hash })
  } else await setFirstPassword(call, sent)
  return { success: true as const }
}

/**
 * Makes account, membership and session of somebody who has read the letter, while registration is on or off. The
 * domains that may sign up are the same as ever.
 */
export async function join(
  call: Call,
  found: Found,
  fields: Partial<NewUser> & Pick<NewUser, 'email' | 'name'>,
  addCredential?: (act: Act) => void,
): Promise<void> {
  const { platform, exchange } = call
  const { meta, now } = platform
  const asked = new Asked((question: HookQuestion) => askHook(call, 'before_sign_up', question))
  const newcomer = newUser({
    ...{ ...fields, email_verified: 1, way: 'invitation', last_sign_in_at: now(), asked },
    ...originOf(call),
  })
  const sessionId = newId()
  const { created, session } = await bySettings(
    platform,
    (settings) => {
      refuseForeignDomain(settings, newcomer.email)
      const first = [sessionsHere(call, settings), ...factsOfInvitation(meta, found)] as const
      return decideNewcomer(call, settings, newcomer, first, async (act, created, here, ...rows) => {
        if (!created) throw addressTaken()
        const { organization, invitation } = judgeInvitation(platform, settings, rows)
        addCredential?.(act)
        endInvitation(act, platform, invitation, 'accepted', created.user)
        const { teamId } = await joinBy(act, platform, organization, invitation, created.user)
        const beside = endEarlierSessions(act, call, settings, created.user.id, [[], here])
        const session = { ...firstSession(act, call, created.user.id, sessionId), beside }
        if (teamId !== undefined) act.write(activateTeam(meta, sessionId, teamId))
        return { created, session }
      })
    },
    await settingsOf(call),
  )
  await createBalance(platform, created)
  giveSession(platform, exchange, session)
  rememberBrowser(call, newcomer)
}
