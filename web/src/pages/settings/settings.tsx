import { lazy, Suspense } from 'react'
import { Route, Routes, useLocation } from 'react-router'
import { useTexts } from '../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../ui/nav-tabs.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Missing } from '../missing.tsx'
import { Profile } from './profile.tsx'

const Password = lazy(async () => ({ default: (await import('./password.tsx')).Password }))
const Accounts = lazy(async () => ({ default: (await import('./accounts.tsx')).Accounts }))
const Sessions = lazy(async () => ({ default: (await import('./sessions.tsx')).Sessions }))
const Access = lazy(async () => ({ default: (await import('./access.tsx')).Access }))
const Data = lazy(async () => ({ default: (await import('./data.tsx')).Data }))

export function Settings() {
  const { settings } = useTexts()
  const { pathname } = useLocation()
  const tabs = [
    { to: '/settings', title: settings.profile },
    { to: '/settings/password', title: settings.password },
    { to: '/settings/accounts', title: settings.accounts },
    { to: '/settings/sessions', title: settings.sessions },
    { to: '/settings/access', title: settings.access },
    { to: '/settings/data', title: settings.data },
  ]
  return (
    <Page title={settings.title} tabTitle={tabTitleOf(tabs, pathname, settings.title)} lead={settings.lead}>
      <NavTabs label={settings.nav} tabs={tabs} />
      <Suspense fallback={<Skeleton />}>
        <Routes>
          <Route index element={<Profile />} />
          <Route path="password" element={<Password />} />
          <Route path="accounts" element={<Accounts />} />
          <Route path="sessions" element={<Sessions />} />
          <Route path="access" element={<Access />} />
          <Route path="data" element={<Data />} />
          <Route path="*" element={<Missing />} />
        </Routes>
      </Suspense>
    </Page>
  )
}
