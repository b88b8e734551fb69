import type { MailedLink } from '../../routing/mailed-link.ts'

const KEY = 'invitation'

/** The link stays in this tab while its recipient signs in: it must not be in an address that is sent to a server. */
export const keepInvitation = (mailed: MailedLink) => sessionStorage.setItem(KEY, JSON.stringify(mailed))

export const dropInvitation = () => sessionStorage.removeItem(KEY)

export const keptInvitation = (): MailedLink | undefined =>
  JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined
