import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Route, Routes } from 'react-router'
import { FreshCredentialsProvider } from './forms/fresh-credentials.tsx'
import { UnsavedProvider } from './forms/unsaved.tsx'
import { GuardedRouter } from './routing/guarded-router.tsx'
import { sources } from './routing/page-sources.ts'
import type { Texts } from './texts/en.ts'
import { LanguageProvider } from './texts/language.tsx'
import type { Language } from './texts/texts.tsx'
import { AskToConfirm } from './ui/dialogs/ask-to-confirm.tsx'
import { ConnectionBanner } from './ui/messages/connection-banner.tsx'
import { ErrorBoundary } from './ui/messages/error-boundary.tsx'
import { Opening } from './ui/messages/opening.tsx'
import { Toasts } from './ui/messages/toasts.tsx'

interface Props {
  readonly queryClient: QueryClient
  readonly spoken: { readonly language: Language; readonly texts: Texts }
}

export function App({ queryClient, spoken }: Props) {
  return (
    <LanguageProvider first={spoken}>
      <QueryClientProvider client={queryClient}>
        <UnsavedProvider>
          <GuardedRouter>
            <ConnectionBanner />
            <Toasts />
            <ErrorBoundary>
              <FreshCredentialsProvider>
                <Suspense fallback={<Opening />}>
                  <Pages />
                </Suspense>
              </FreshCredentialsProvider>
            </ErrorBoundary>
            <AskToConfirm />
          </GuardedRouter>
        </UnsavedProvider>
      </QueryClientProvider>
    </LanguageProvider>
  )
}

function Pages() {
  return (
    <Routes>
      <Route path="sign-in" Component={sources.signIn.Page} />
      <Route path="sign-up" Component={sources.signUp.Page} />
      <Route path="verify" Component={sources.verify.Page} />
      <Route path="forgot" Component={sources.forgot.Page} />
      <Route path="reset" Component={sources.reset.Page} />
      <Route path="beta" Component={sources.beta.Page} />
      <Route path="return" Component={sources.return.Page} />
      <Route path="oauth/authorize" Component={sources.authorize.Page} />
      <Route path="oauth/consent" Component={sources.consent.Page} />
      <Route Component={sources.signedInPages.Page}>
        <Route index Component={sources.home.Page} />
        <Route path="notifications" Component={sources.notifications.Page} />
        <Route path="feedback" Component={sources.feedback.Page} />
        <Route path="settings" Component={sources.settings.Page}>
          <Route index Component={sources.profile.Page} />
          <Route path="password" Component={sources.password.Page} />
          <Route path="accounts" Component={sources.accounts.Page} />
          <Route path="sessions" Component={sources.sessions.Page} />
          <Route path="access" Component={sources.access.Page} />
          <Route path="data" Component={sources.data.Page} />
          <Route path="*" Component={sources.missing.Page} />
        </Route>
        <Route Component={sources.administratorPages.Page}>
          <Route path="console" Component={sources.consoleOverview.Page} />
          <Route path="console/settings/*" Component={sources.consoleSettings.Page} />
          <Route path="console/feedback" Component={sources.consoleFeedback.Page} />
          <Route path="console/notifications" Component={sources.consoleNotifications.Page} />
          <Route path="console/users" Component={sources.consoleUsers.Page} />
          <Route path="console/beta-codes" Component={sources.consoleBetaCodes.Page} />
          <Route path="console/shards" Component={sources.consoleShards.Page} />
          <Route path="console/audit" Component={sources.consoleAudit.Page} />
        </Route>
        <Route path="*" Component={sources.missing.Page} />
      </Route>
    </Routes>
  )
}
