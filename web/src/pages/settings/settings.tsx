import { Route, Routes } from 'react-router'
import { useTexts } from '../../texts/texts.tsx'
import { NavTabs } from '../../ui/nav-tabs.tsx'
import { Page } from '../../ui/page.tsx'
import { Missing } from '../missing.tsx'
import { Access } from './access.tsx'
import { Accounts } from './accounts.tsx'
import { Data } from './data.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'

export function Settings() {
  const { settings } = useTexts()
  return (
    <Page title={settings.title} lead={settings.lead}>
      <NavTabs
        label={settings.nav}
        tabs={[
          { to: '/settings', title: settings.profile },
          { to: '/settings/password', title: settings.password },
          { to: '/settings/accounts', title: settings.accounts },
          { to: '/settings/sessions', title: settings.sessions },
          { to: '/settings/access', title: settings.access },
          { to: '/settings/data', title: settings.data },
        ]}
      />
      <Routes>
        <Route index element={<Profile />} />
        <Route path="password" element={<Password />} />
        <Route path="accounts" element={<Accounts />} />
        <Route path="sessions" element={<Sessions />} />
        <Route path="access" element={<Access />} />
        <Route path="data" element={<Data />} />
        <Route path="*" element={<Missing />} />
      </Routes>
    </Page>
  )
}
