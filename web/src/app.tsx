import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { Route, Routes } from 'react-router'
import { FreshCredentialsProvider } from './fresh-credentials.tsx'
import { GuardedRouter } from './guarded-router.tsx'
import { AdministratorPages } from './layout/administrator-pages.tsx'
import { SignedInPages } from './layout/signed-in-pages.tsx'
import {
  ConsoleAudit,
  ConsoleBetaCodes,
  ConsoleFeedback,
  ConsoleNotifications,
  ConsoleOverview,
  ConsoleSettings,
  ConsoleShards,
  ConsoleUsers,
} from './pages/console/pages.tsx'
import type { Texts } from './texts/en.ts'
import { LanguageProvider } from './texts/language.tsx'
import type { Language } from './texts/texts.tsx'
import { ConnectionBanner } from './ui/connection-banner.tsx'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { Opening } from './ui/opening.tsx'
import { Toasts } from './ui/toasts.tsx'
import { UnsavedProvider } from './unsaved.tsx'

const AskToConfirm = lazy(async () => ({
  default: (await import('./ui/ask-to-confirm.tsx')).AskToConfirm,
}))
const SignIn = lazy(async () => ({ default: (await import('./pages/sign-in.tsx')).SignIn }))
const SignUp = lazy(async () => ({ default: (await import('./pages/sign-up.tsx')).SignUp }))
const Verify = lazy(async () => ({ default: (await import('./pages/verify.tsx')).Verify }))
const Forgot = lazy(async () => ({ default: (await import('./pages/forgot.tsx')).Forgot }))
const Reset = lazy(async () => ({ default: (await import('./pages/reset.tsx')).Reset }))
const Beta = lazy(async () => ({ default: (await import('./pages/beta.tsx')).Beta }))
const Authorize = lazy(async () => ({ default: (await import('./pages/authorize.tsx')).Authorize }))
const Consent = lazy(async () => ({ default: (await import('./pages/consent.tsx')).Consent }))
const Home = lazy(async () => ({ default: (await import('./pages/home.tsx')).Home }))
const Notifications = lazy(async () => ({
  default: (await import('./pages/notifications.tsx')).Notifications,
}))
const Feedback = lazy(async () => ({ default: (await import('./pages/feedback.tsx')).Feedback }))
const Settings = lazy(async () => ({ default: (await import('./pages/settings/settings.tsx')).Settings }))
const Missing = lazy(async () => ({ default: (await import('./pages/missing.tsx')).Missing }))

interface Props {
  readonly queryClient: QueryClient
  readonly spoken: { readonly language: Language; readonly texts: Texts }
}

export function App({ queryClient, spoken }: Props) {
  return (
    <LanguageProvider first={spoken}>
      <QueryClientProvider client={queryClient}>
        <I18nProvider locale={spoken.language}>
          <UnsavedProvider>
            <GuardedRouter>
              <ConnectionBanner />
              <Toasts />
              <ErrorBoundary>
                <FreshCredentialsProvider>
                  <Suspense fallback={<Opening />}>
                    <Pages />
                  </Suspense>
                  <Suspense>
                    <AskToConfirm />
                  </Suspense>
                </FreshCredentialsProvider>
              </ErrorBoundary>
            </GuardedRouter>
          </UnsavedProvider>
        </I18nProvider>
      </QueryClientProvider>
    </LanguageProvider>
  )
}

function Pages() {
  return (
    <Routes>
      <Route path="sign-in" element={<SignIn />} />
      <Route path="sign-up" element={<SignUp />} />
      <Route path="verify" element={<Verify />} />
      <Route path="forgot" element={<Forgot />} />
      <Route path="reset" element={<Reset />} />
      <Route path="beta" element={<Beta />} />
      <Route path="oauth/authorize" element={<Authorize />} />
      <Route path="oauth/consent" element={<Consent />} />
      <Route element={<SignedInPages />}>
        <Route index element={<Home />} />
        <Route path="notifications" element={<Notifications />} />
        <Route path="feedback" element={<Feedback />} />
        <Route path="settings/*" element={<Settings />} />
        <Route element={<AdministratorPages />}>
          <Route path="console" element={<ConsoleOverview />} />
          <Route path="console/settings/*" element={<ConsoleSettings />} />
          <Route path="console/feedback" element={<ConsoleFeedback />} />
          <Route path="console/notifications" element={<ConsoleNotifications />} />
          <Route path="console/users" element={<ConsoleUsers />} />
          <Route path="console/beta-codes" element={<ConsoleBetaCodes />} />
          <Route path="console/shards" element={<ConsoleShards />} />
          <Route path="console/audit" element={<ConsoleAudit />} />
        </Route>
        <Route path="*" element={<Missing />} />
      </Route>
    </Routes>
  )
}
