import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { UnsavedProvider } from '../src/forms/unsaved.tsx'
import { GuardedRouter } from '../src/routing/guarded-router.tsx'
import { catalogue } from '../src/texts/catalogue.ts'
import { LanguageProvider, openCatalogue } from '../src/texts/language.tsx'
import '../src/styles.css'
import { Controls } from './controls.tsx'
import { FactParts } from './facts.tsx'
import { Lists } from './lists.tsx'
import { Messages } from './messages.tsx'
import { Tokens } from './tokens.tsx'

// A page for developers of the pages: every token and every component in each of its looks. It is in no release.
// `npx vite -c web/vite.config.ts` shows it at /components/; `npm run screenshots` takes its picture.
const config = {
  app_name: 'Gatehouse',
  support_email: 'help@example.com',
  brand: {
    logo_url: null,
    languages: ['en', 'zh'],
    terms_url: 'https://example.com/terms',
    privacy_url: 'https://example.com/privacy',
  },
  providers: [],
}
const queryClient = new QueryClient()
queryClient.setQueryData(['client-config'], config)

await Promise.all([catalogue.open('inside'), catalogue.open('console')])
const texts = await openCatalogue('en')
createRoot(document.body).render(
  <LanguageProvider first={{ language: 'en', texts }}>
    <QueryClientProvider client={queryClient}>
      <UnsavedProvider>
        <GuardedRouter>
          <main className="mx-auto flex max-w-6xl flex-col gap-10 p-8">
            <h1 className="font-semibold text-page">Components</h1>
            <Tokens />
            <Controls />
            <Lists />
            <FactParts />
            <Messages />
          </main>
        </GuardedRouter>
      </UnsavedProvider>
    </QueryClientProvider>
  </LanguageProvider>,
)
