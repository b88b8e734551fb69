import { Suspense } from 'react'
import { useLocation } from '../../routing/router.tsx'
import { Outlet } from '../../routing/routes.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../ui/controls/nav-tabs.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Page } from '../../ui/page.tsx'

export function Settings() {
  const { settings } = useTexts()
  const { pathname } = useLocation()
  const tabs = [
    { to: '/settings', title: settings.profile },
    { to: '/settings/security', title: settings.security },
    { to: '/settings/password', title: settings.password },
    { to: '/settings/accounts', title: settings.accounts },
    { to: '/settings/sessions', title: settings.sessions },
    { to: '/settings/access', title: settings.access },
    { to: '/settings/tokens', title: settings.tokens },
    { to: '/settings/notifications', title: settings.notifications },
    { to: '/settings/data', title: settings.data },
  ]
  return (
    <Page title={settings.title} tabTitle={tabTitleOf(tabs, pathname, settings.title)} lead={settings.lead}>
      <NavTabs label={settings.nav} tabs={tabs} />
      <Suspense fallback={<Skeleton />}>
        <Outlet />
      </Suspense>
    </Page>
  )
}
