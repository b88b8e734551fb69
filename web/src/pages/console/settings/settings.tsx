import { consoleTabs } from '../../../layout/settings-tabs.ts'
import { useLocation } from '../../../routing/router.tsx'
import { type Route, Routes } from '../../../routing/routes.tsx'
import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { NavTabs, tabTitleOf } from '../../../ui/controls/nav-tabs.tsx'
import { Page } from '../../../ui/page.tsx'
import { Missing } from '../../missing.tsx'
import { BrandSettings } from './brand/brand.tsx'
import { EmailSettings } from './email.tsx'
import { HookSettings } from './hooks.tsx'
import { OrganizationSettings } from './organizations.tsx'
import { AiSettings, AssistantsSettings, AuthenticationSettings, CreditsSettings } from './plain-parts.tsx'
import { ProviderSettings } from './providers.tsx'

const parts = [
  { path: '/console/settings', Page: AuthenticationSettings, title: 'authentication' },
  { path: '/console/settings/providers', Page: ProviderSettings, title: 'providers' },
  { path: '/console/settings/email', Page: EmailSettings, title: 'email' },
  { path: '/console/settings/credits', Page: CreditsSettings, title: 'credits' },
  { path: '/console/settings/ai', Page: AiSettings, title: 'ai' },
  { path: '/console/settings/assistants', Page: AssistantsSettings, title: 'assistants' },
  { path: '/console/settings/brand', Page: BrandSettings, title: 'brand' },
  { path: '/console/settings/hooks', Page: HookSettings, title: 'hooks' },
  { path: '/console/settings/organizations', Page: OrganizationSettings, title: 'organizations' },
] as const satisfies readonly (Route & { readonly title: keyof Texts['config'] })[]

export function ConsoleSettings() {
  const texts = useTexts()
  const { config } = texts
  const { pathname } = useLocation()
  const tabs = consoleTabs(texts)
  if (!tabs.some(({ to }) => to === pathname.replace(/\/$/, ''))) return <Missing />
  return (
    <Page title={config.title} tabTitle={tabTitleOf(tabs, pathname, config.title)} lead={config.lead}>
      <NavTabs label={config.nav} tabs={tabs} />
      <Routes routes={parts} />
    </Page>
  )
}
