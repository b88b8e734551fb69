import { sources } from './page-sources.ts'
import type { Route } from './routes.tsx'

/** Which page an address shows. */
export const pages: readonly Route[] = [
  { path: '/sign-in', Page: sources.signIn.Page },
  { path: '/sign-in/second-step', Page: sources.secondStep.Page },
  { path: '/invitation', Page: sources.invitation.Page },
  { path: '/sign-up', Page: sources.signUp.Page },
  { path: '/verify', Page: sources.verify.Page },
  { path: '/forgot', Page: sources.forgot.Page },
  { path: '/reset', Page: sources.reset.Page },
  { path: '/beta', Page: sources.beta.Page },
  { path: '/return', Page: sources.return.Page },
  { path: '/unsubscribe', Page: sources.unsubscribe.Page },
  { path: '/oauth/authorize', Page: sources.authorize.Page },
  { path: '/oauth/consent', Page: sources.consent.Page },
  { path: '/oauth/end-session', Page: sources.endSession.Page },
  {
    Page: sources.signedInPages.Page,
    within: [
      { path: '/', Page: sources.home.Page },
      { path: '/notifications', Page: sources.notifications.Page },
      { path: '/feedback', Page: sources.feedback.Page },
      {
        Page: sources.settings.Page,
        within: [
          { path: '/settings', Page: sources.profile.Page },
          { path: '/settings/security', Page: sources.security.Page },
          { path: '/settings/password', Page: sources.password.Page },
          { path: '/settings/accounts', Page: sources.accounts.Page },
          { path: '/settings/sessions', Page: sources.sessions.Page },
          { path: '/settings/access', Page: sources.access.Page },
          { path: '/settings/tokens', Page: sources.tokens.Page },
          { path: '/settings/notifications', Page: sources.preferences.Page },
          { path: '/settings/data', Page: sources.data.Page },
        ],
      },
      {
        Page: sources.administratorPages.Page,
        within: [
          { path: '/console', Page: sources.consoleOverview.Page },
          { path: '/console/settings/*', Page: sources.consoleSettings.Page },
          { path: '/console/feedback', Page: sources.consoleFeedback.Page },
          { path: '/console/notifications', Page: sources.consoleNotifications.Page },
          { path: '/console/users', Page: sources.consoleUsers.Page },
          { path: '/console/users/*', Page: sources.consolePerson.Page },
          { path: '/console/beta-codes', Page: sources.consoleBetaCodes.Page },
          { path: '/console/connect', Page: sources.consoleConnect.Page },
          { path: '/console/shards', Page: sources.consoleShards.Page },
          { path: '/console/webhooks', Page: sources.consoleWebhooks.Page },
          { path: '/console/applications', Page: sources.consoleApplications.Page },
          { path: '/console/audit', Page: sources.consoleAudit.Page },
        ],
      },
      { path: '/settings/*', Page: sources.missing.Page },
      { path: '/console/*', Page: sources.missing.Page },
    ],
  },
  { Page: sources.unknownAddress.Page, within: [{ path: '/*', Page: sources.missing.Page }] },
]
