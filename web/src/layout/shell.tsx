import { type ReactNode, Suspense, useState } from 'react'
import { useLocation } from '../routing/router.tsx'
import { isActing, useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { PolicyLinks } from '../ui/facts/policy-links.tsx'
import { SupportLine } from '../ui/facts/support-line.tsx'
import { Icon } from '../ui/icon.tsx'
import { latePart } from '../ui/late.tsx'
import { InsideMain } from '../ui/messages/page-message.tsx'
import { focusRow, focusSearch, useShortcuts } from '../ui/shortcuts.ts'
import { Brand } from './brand.tsx'
import { BellInBar, Navigation } from './navigation.tsx'
import { PaletteInBar, PaletteKeys } from './open-palette.tsx'
import { useLive } from './use-live.ts'

const { Part: Drawer } = latePart(async () => (await import('./drawer.tsx')).Drawer, {
  onGiveUp: ({ onClose }) => onClose(),
})

const { Part: ShortcutsHelp } = latePart(async () => (await import('./shortcuts-help.tsx')).ShortcutsHelp, {
  onGiveUp: ({ onClose }) => onClose(),
})

const { Part: ActingBanner } = latePart(async () => (await import('./acting-banner.tsx')).ActingBanner, {
  isUnasked: true,
})

const contentId = 'content'
const columnClass = 'mx-auto w-full max-w-6xl px-4 sm:px-8 lg:px-10'

/** Navigation at the side, or behind a button on a phone, and the page beside it. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { common, foot, nav } = useTexts()
  useLive()
  const acts = isActing(useSignedIn())
  const isConsole = useLocation().pathname.startsWith('/console')
  const [isOpen, setOpen] = useState(false)
  const [isHelping, setHelping] = useState(false)
  useShortcuts({
    '?': () => setHelping(true),
    '/': focusSearch,
    j: () => focusRow(1),
    k: () => focusRow(-1),
  })
  return (
    <div className="gh-page min-h-dvh lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href={`#${contentId}`}
        className="sr-only z-50 rounded-md bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {common.skip}
      </a>
      <PaletteKeys />
      <aside className="hidden border-line border-r bg-surface lg:block">
        <div className="sticky top-0 h-dvh">
          <Navigation />
        </div>
      </aside>
      <header className="sticky top-0 z-30 flex h-14 items-center justify-between border-line border-b bg-surface/90 px-4 backdrop-blur lg:hidden">
        <Brand />
        <span className="-mr-2 flex">
          <PaletteInBar />
          <BellInBar />
          <button
            type="button"
            aria-label={nav.open}
            onClick={() => setOpen(true)}
            className="touch grid size-10 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
          >
            <Icon name="menu" />
          </button>
        </span>
      </header>
      {isOpen && (
        <Suspense>
          <Drawer onClose={() => setOpen(false)}>
            <Navigation onFollow={() => setOpen(false)} />
          </Drawer>
        </Suspense>
      )}
      {isHelping && (
        <Suspense>
          <ShortcutsHelp onClose={() => setHelping(false)} />
        </Suspense>
      )}
      <div className="flex min-h-dvh min-w-0 flex-col max-lg:min-h-[calc(100dvh-3.5rem)]">
        {acts && (
          <Suspense>
            <ActingBanner />
          </Suspense>
        )}
        <main id={contentId} tabIndex={-1} className={`peer grow py-8 outline-none sm:py-10 ${columnClass}`}>
          <InsideMain value={true}>{children}</InsideMain>
        </main>
        <footer className={`gh-foot ${columnClass} peer-has-[[data-placeholder]]:invisible`}>
          <div className="flex flex-wrap items-center gap-x-6 gap-y-1 border-line border-t py-5">
            <SupportLine />
            <PolicyLinks />
            {isConsole && <p className="ml-auto text-small text-ink-soft">{foot.runsOn}</p>}
          </div>
        </footer>
      </div>
    </div>
  )
}
