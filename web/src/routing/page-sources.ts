import type { ComponentType } from 'react'
import { catalogue, type Part } from '../texts/catalogue.ts'
import { latePage } from '../ui/late.tsx'

interface Source {
  prefetch(): Promise<unknown>
  readonly Page: ComponentType
}

function source(fetchPage: () => Promise<ComponentType>, part: Part = 'front'): Source {
  const { prefetch, Part } = latePage(async () => {
    const [Page] = await Promise.all([fetchPage(), catalogue.open(part)])
    return Page
  })
  return { prefetch, Page: Part }
}

/** Every page has its own script. Nested pages get their texts with the page around them. */
export const sources = {
  signIn: source(async () => (await import('../pages/entry/sign-in.tsx')).SignIn),
  secondStep: source(async () => (await import('../pages/entry/second-step.tsx')).SecondStep),
  invitation: source(async () => (await import('../pages/entry/invitation.tsx')).Invitation),
  signUp: source(async () => (await import('../pages/entry/sign-up.tsx')).SignUp),
  verify: source(async () => (await import('../pages/entry/verify.tsx')).Verify),
  forgot: source(async () => (await import('../pages/entry/forgot.tsx')).Forgot),
  reset: source(async () => (await import('../pages/entry/reset.tsx')).Reset),
  beta: source(async () => (await import('../pages/beta.tsx')).Beta, 'inside'),
  return: source(async () => (await import('../pages/return.tsx')).Return),
  unsubscribe: source(async () => (await import('../pages/unsubscribe.tsx')).Unsubscribe),
  authorize: source(async () => (await import('../pages/access/authorize.tsx')).Authorize, 'inside'),
  consent: source(async () => (await import('../pages/access/consent.tsx')).Consent, 'inside'),
  endSession: source(async () => (await import('../pages/access/end-session.tsx')).EndSession, 'inside'),
  /** Around every page of a signed-in user. */
  signedInPages: source(async () => (await import('../layout/signed-in-pages.tsx')).SignedInPages, 'inside'),
  /** The same around an unknown address. */
  unknownAddress: source(
    async () => (await import('../layout/unknown-address.tsx')).UnknownAddress,
    'inside',
  ),
  administratorPages: source(
    async () => (await import('../layout/administrator-pages.tsx')).AdministratorPages,
    'console',
  ),
  home: source(async () => (await import('../pages/home/home.tsx')).Home),
  notifications: source(async () => (await import('../pages/notifications.tsx')).Notifications),
  feedback: source(async () => (await import('../pages/feedback.tsx')).Feedback),
  settings: source(async () => (await import('../pages/settings/settings.tsx')).Settings),
  profile: source(async () => (await import('../pages/settings/profile.tsx')).Profile),
  password: source(async () => (await import('../pages/settings/password.tsx')).Password),
  security: source(async () => (await import('../pages/settings/security/security.tsx')).Security),
  accounts: source(async () => (await import('../pages/settings/accounts.tsx')).Accounts),
  sessions: source(async () => (await import('../pages/settings/sessions.tsx')).Sessions),
  access: source(async () => (await import('../pages/settings/access.tsx')).Access),
  tokens: source(async () => (await import('../pages/settings/personal-tokens.tsx')).PersonalTokens),
  preferences: source(async () => (await import('../pages/settings/preferences.tsx')).Preferences),
  data: source(async () => (await import('../pages/settings/data.tsx')).Data),
  consoleOverview: source(
    async () => (await import('../pages/console/overview/overview.tsx')).ConsoleOverview,
  ),
  consoleSettings: source(
    async () => (await import('../pages/console/settings/settings.tsx')).ConsoleSettings,
  ),
  consoleFeedback: source(
    async () => (await import('../pages/console/feedback/feedback.tsx')).ConsoleFeedback,
  ),
  consoleNotifications: source(
    async () => (await import('../pages/console/notifications/notifications.tsx')).ConsoleNotifications,
  ),
  consoleUsers: source(async () => (await import('../pages/console/users/users.tsx')).ConsoleUsers),
  consolePerson: source(async () => (await import('../pages/console/person/person.tsx')).ConsolePerson),
  consoleBetaCodes: source(async () => (await import('../pages/console/beta-codes.tsx')).ConsoleBetaCodes),
  consoleConnect: source(async () => (await import('../pages/console/connect.tsx')).ConsoleConnect),
  consoleShards: source(async () => (await import('../pages/console/shards.tsx')).ConsoleShards),
  consoleWebhooks: source(
    async () => (await import('../pages/console/webhooks/webhooks.tsx')).ConsoleWebhooks,
  ),
  consoleApplications: source(
    async () => (await import('../pages/console/applications/applications.tsx')).ConsoleApplications,
  ),
  consoleAudit: source(async () => (await import('../pages/console/audit/audit.tsx')).ConsoleAudit),
  missing: source(async () => (await import('../pages/missing.tsx')).Missing),
} as const
