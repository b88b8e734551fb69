import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { catchLostFocus } from './lost-focus.ts'
import { preload, preloadLinks } from './routing/preload.ts'
import { offeredLanguages, takeConfig } from './server/installation.ts'
import { followOtherWindows } from './server/other-windows.ts'
import { createQueryClient } from './server/query-client.ts'
import { followRestoredPages } from './server/restored-page.ts'
import { sessionQuery } from './server/session.ts'
import './styles.css'
import { openCatalogue, preferredLanguage } from './texts/language.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root element')

const queryClient = createQueryClient()
followOtherWindows(queryClient)
followRestoredPages(queryClient)
takeConfig(queryClient)
void queryClient.prefetchQuery(sessionQuery)
const scripts = preload(queryClient, new URL(location.href))
preloadLinks(queryClient)
catchLostFocus()

/** The page shows after this time that it is loading. */
const silentMilliseconds = 2_000

/** Not awaited at the top level: scripts fetched meanwhile import from this one. */
async function open(page: HTMLElement): Promise<void> {
  const language = preferredLanguage(offeredLanguages(queryClient))
  const silence = new Promise((resolve) => setTimeout(resolve, silentMilliseconds))
  const [texts] = await Promise.all([openCatalogue(language), Promise.race([scripts, silence])])
  // React has emptied the page: the error was outside of every boundary, or in its message.
  const onUncaughtError = (error: unknown) => {
    offerReload(page)
    reportError(error)
  }
  createRoot(page, { onUncaughtError }).render(
    <StrictMode>
      <App queryClient={queryClient} spoken={{ language, texts }} />
    </StrictMode>,
  )
}

/** A page without its texts can only be loaded again. */
function offerReload(page: HTMLElement): void {
  const button = document.createElement('button')
  button.textContent = 'Reload · 重新加载'
  button.className = 'm-8 underline'
  button.addEventListener('click', () => location.reload())
  page.replaceChildren(button)
}

open(root).catch((error: unknown) => {
  offerReload(root)
  throw error
})
