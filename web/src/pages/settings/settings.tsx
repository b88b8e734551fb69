import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useOwnTabs } from '../../layout/settings-tabs.ts'
import { useLocation } from '../../routing/router.tsx'
import { Outlet } from '../../routing/routes.tsx'
import { isActing, useSignedIn } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../ui/controls/nav-tabs.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { idIn } from '../console/id-in.ts'
import { membershipsQuery } from './organizations/queries.ts'

/** Ways in, and what acts for the user: nobody who acts as the user sees any of it. */
const OF_THE_USER_ALONE: readonly string[] = ['/settings/security', '/settings/access']

export function Settings() {
  const { settings, nav, failures } = useTexts()
  const { pathname } = useLocation()
  const tabs = useOwnTabs()
  const isClosed = isActing(useSignedIn()) && OF_THE_USER_ALONE.includes(pathname)
  const isOrganization = pathname.startsWith('/settings/organizations/')
  const { data: mine = [] } = useQuery({ ...membershipsQuery, enabled: isOrganization })
  const organization = isOrganization && mine.find(({ id }) => id === idIn(pathname))
  const part = organization ? `${organization.name} · ${nav.settings}` : tabTitleOf(tabs, pathname, nav.settings)
  return (
    <Page title={nav.settings} tabTitle={part} lead={settings.lead}>
      <div className="flex flex-col gap-6 sm:gap-8 min-[112rem]:-ml-54 min-[112rem]:grid min-[112rem]:grid-cols-[11rem_minmax(0,1fr)] min-[112rem]:items-start min-[112rem]:gap-10">
        <NavTabs label={nav.settings} tabs={tabs} isAtSide />
        <div className="flex min-w-0 flex-col gap-6 sm:gap-8">
          {isClosed ? (
            <Notice look="info">{failures.IMPERSONATION_REFUSED}</Notice>
          ) : (
            <Suspense fallback={<Skeleton />}>
              <Outlet />
            </Suspense>
          )}
        </div>
      </div>
    </Page>
  )
}
