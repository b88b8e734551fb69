import { Suspense } from 'react'
import { ownTabs } from '../../layout/settings-tabs.ts'
import { useLocation } from '../../routing/router.tsx'
import { Outlet } from '../../routing/routes.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../ui/controls/nav-tabs.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Page } from '../../ui/page.tsx'

export function Settings() {
  const texts = useTexts()
  const { settings, nav } = texts
  const { pathname } = useLocation()
  const tabs = ownTabs(texts)
  return (
    <Page title={nav.settings} tabTitle={tabTitleOf(tabs, pathname, nav.settings)} lead={settings.lead}>
      <NavTabs label={nav.settings} tabs={tabs} />
      <Suspense fallback={<Skeleton />}>
        <Outlet />
      </Suspense>
    </Page>
  )
}
