import { Route, Routes, useLocation } from 'react-router'
import { useTexts } from '../../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../../ui/controls/nav-tabs.tsx'
import { Page } from '../../../ui/page.tsx'
import { Missing } from '../../missing.tsx'
import { AiSettings } from './ai.tsx'
import { AuthenticationSettings } from './authentication.tsx'
import { BrandSettings } from './brand.tsx'
import { CreditsSettings } from './credits.tsx'
import { EmailSettings } from './email.tsx'
import { ProviderSettings } from './providers.tsx'

export function ConsoleSettings() {
  const { config } = useTexts()
  const { pathname } = useLocation()
  const tabs = [
    { to: '/console/settings', title: config.authentication },
    { to: '/console/settings/providers', title: config.providers },
    { to: '/console/settings/email', title: config.email },
    { to: '/console/settings/credits', title: config.credits },
    { to: '/console/settings/ai', title: config.ai },
    { to: '/console/settings/brand', title: config.brand },
  ]
  return (
    <Page title={config.title} tabTitle={tabTitleOf(tabs, pathname, config.title)} lead={config.lead}>
      <NavTabs label={config.nav} tabs={tabs} />
      <Routes>
        <Route index element={<AuthenticationSettings />} />
        <Route path="providers" element={<ProviderSettings />} />
        <Route path="email" element={<EmailSettings />} />
        <Route path="credits" element={<CreditsSettings />} />
        <Route path="ai" element={<AiSettings />} />
        <Route path="brand" element={<BrandSettings />} />
        <Route path="*" element={<Missing />} />
      </Routes>
    </Page>
  )
}
