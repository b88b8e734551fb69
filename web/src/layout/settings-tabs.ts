import { useQuery } from '@tanstack/react-query'
import { invitationsToMeQuery, membershipsQuery } from '../pages/settings/organizations/queries.ts'
import { useLocation } from '../routing/router.tsx'
import { useClientConfig, useSignedIn } from '../server/session.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'

const organizationsPath = '/settings/organizations'

/** The parts of a user's own settings. */
export function useOwnTabs() {
  const { nav, settings } = useTexts()
  const isShown = useHasOrganizations()
  return [
    { to: '/settings', title: settings.profile },
    { to: '/settings/security', title: settings.security },
    { to: '/settings/access', title: settings.apps },
    ...(isShown ? [{ to: organizationsPath, title: settings.organizations }] : []),
    { to: '/settings/notifications', title: nav.notifications },
    { to: '/settings/data', title: settings.data },
  ]
}

/** True if the user is in an organisation, is invited to one, or may create one. */
function useHasOrganizations(): boolean {
  const { user, session } = useSignedIn()
  const isOpen = useClientConfig().organizations_open || user.role === 'administrator'
  const isOnPage = useLocation().pathname.startsWith(organizationsPath)
  const isSure = isOpen || isOnPage || session.activeOrganizationId !== null
  const mine = useQuery({ ...membershipsQuery, enabled: !isSure })
  const toMe = useQuery({ ...invitationsToMeQuery, enabled: !isSure })
  return isSure || [mine, toMe].some(({ data = [] }) => data.length > 0)
}

/** The parts of the service's settings. */
export const consoleTabs = ({ config }: Texts) => [
  { to: '/console/settings', title: config.authentication },
  { to: '/console/settings/providers', title: config.providers },
  { to: '/console/settings/email', title: config.email },
  { to: '/console/settings/credits', title: config.credits },
  { to: '/console/settings/ai', title: config.ai },
  { to: '/console/settings/assistants', title: config.assistants },
  { to: '/console/settings/brand', title: config.brand },
  { to: '/console/settings/hooks', title: config.hooks },
  { to: '/console/settings/organizations', title: config.organizations },
]
