import { useLocation } from '../../../routing/router.tsx'
import { type Route, Routes } from '../../../routing/routes.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../../ui/controls/nav-tabs.tsx'
import { Page } from '../../../ui/page.tsx'
import { Missing } from '../../missing.tsx'
import { AiSettings } from './ai.tsx'
import { AssistantsSettings } from './assistants.tsx'
import { AuthenticationSettings } from './authentication.tsx'
import { BrandSettings } from './brand/brand.tsx'
import { CreditsSettings } from './credits.tsx'
import { EmailSettings } from './email.tsx'
import { ProviderSettings } from './providers.tsx'

const parts: readonly Route[] = [
  { path: '/console/settings', Page: AuthenticationSettings },
  { path: '/console/settings/providers', Page: ProviderSettings },
  { path: '/console/settings/email', Page: EmailSettings },
  { path: '/console/settings/credits', Page: CreditsSettings },
  { path: '/console/settings/ai', Page: AiSettings },
  { path: '/console/settings/assistants', Page: AssistantsSettings },
  { path: '/console/settings/brand', Page: BrandSettings },
]

export function ConsoleSettings() {
  const { config } = useTexts()
  const { pathname } = useLocation()
  const tabs = [
    { to: '/console/settings', title: config.authentication },
    { to: '/console/settings/providers', title: config.providers },
    { to: '/console/settings/email', title: config.email },
    { to: '/console/settings/credits', title: config.credits },
    { to: '/console/settings/ai', title: config.ai },
    { to: '/console/settings/assistants', title: config.assistants },
    { to: '/console/settings/brand', title: config.brand },
  ]
  if (!tabs.some(({ to }) => to === pathname.replace(/\/$/, ''))) return <Missing />
  return (
    <Page title={config.title} tabTitle={tabTitleOf(tabs, pathname, config.title)} lead={config.lead}>
      <NavTabs label={config.nav} tabs={tabs} />
      <Routes routes={parts} />
    </Page>
  )
}
