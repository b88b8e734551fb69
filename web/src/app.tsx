import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { FreshCredentialsProvider } from './forms/fresh-credentials.tsx'
import { UnsavedProvider } from './forms/unsaved.tsx'
import { GuardedRouter } from './routing/guarded-router.tsx'
import { pages } from './routing/pages.ts'
import { Routes } from './routing/routes.tsx'
import { AppliedLook } from './server/brand.ts'
import type { Language } from './texts/catalogue.ts'
import type { Texts } from './texts/en.ts'
import { LanguageProvider } from './texts/language.tsx'
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
            <ErrorBoundary>
              <ConnectionBanner />
              <Toasts />
              <ErrorBoundary>
                <FreshCredentialsProvider>
                  <Suspense fallback={<Opening />}>
                    <AppliedLook />
                    <Routes routes={pages} />
                  </Suspense>
                </FreshCredentialsProvider>
              </ErrorBoundary>
              <AskToConfirm />
            </ErrorBoundary>
          </GuardedRouter>
        </UnsavedProvider>
      </QueryClientProvider>
    </LanguageProvider>
  )
}
