import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { createPortal } from 'react-dom'
import { RoutingProvider } from '../../../../routing/router.tsx'
import { clientConfigQuery, sessionQuery, useClientConfig, useSignedIn } from '../../../../server/session.ts'
import type { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Card } from '../../../../ui/card.tsx'
import { Segments } from '../../../../ui/controls/segments.tsx'
import { Select } from '../../../../ui/controls/select.tsx'
import type { SecretChange } from '../secret-field.tsx'
import { LetterPreview } from './letter-preview.tsx'
import { type Style, shownPicture, useSheet } from './look-fields.tsx'
import { previewed } from './previewed.ts'

const { SignIn, SignUp, Verify, Consent, Authorize } = {
  SignIn: lazy(async () => ({ default: (await import('../../../entry/sign-in.tsx')).SignIn })),
  SignUp: lazy(async () => ({ default: (await import('../../../entry/sign-up.tsx')).SignUp })),
  Verify: lazy(async () => ({ default: (await import('../../../entry/verify.tsx')).Verify })),
  Consent: lazy(async () => ({ default: (await import('../../../access/consent.tsx')).Consent })),
  Authorize: lazy(async () => ({ default: (await import('../../../access/authorize.tsx')).Authorize })),
}

/** The pages themselves, at these addresses. */
const pages = {
  signIn: { page: SignIn, pathname: '/sign-in', search: '' },
  signUp: { page: SignUp, pathname: '/sign-up', search: '' },
  code: { page: Verify, pathname: '/verify', search: '?email=ann@example.com' },
  consent: { page: Consent, pathname: '/oauth/consent', search: '?request_id=preview' },
  error: { page: Authorize, pathname: '/oauth/authorize', search: '?client_id=preview' },
} as const

type Pictures = Readonly<Record<'logo' | 'logo_dark', SecretChange>>

interface Props {
  readonly name: string
  readonly languages: readonly (keyof typeof languageNames)[]
  readonly stored: Readonly<Record<string, unknown>>
  readonly typed: Style & Pictures
}

/** The pages and letters with what is typed, before it is saved. */
export function LookPreview({ name, languages, stored, typed }: Props) {
  const { publishing, config, common } = useTexts()
  const [shown, setShown] = useState<keyof typeof pages | 'letter'>('signIn')
  const [theme, setTheme] = useState<'light' | 'dark'>('light')
  const { light, dark } = common.themes
  const logo = shownPicture(stored.logo_url, typed.logo)
  const logoDark = shownPicture(stored.logo_dark_url, typed.logo_dark)
  return (
    <div className="xl:sticky xl:top-6">
      <Card title={publishing.preview}>
        <div className="flex flex-col gap-4">
          <Select label={config.previewOf} value={shown} options={config.previews} onChange={setShown} />
          {shown === 'letter' ? (
            <LetterPreview name={name} style={typed} languages={languages} />
          ) : (
            <>
              <Segments label={common.theme} value={theme} options={{ light, dark }} onChange={setTheme} />
              <Previewed
                shown={shown}
                theme={theme}
                name={name}
                style={typed}
                logo={(theme === 'dark' && logoDark) || logo}
              />
            </>
          )}
        </div>
      </Card>
    </div>
  )
}

interface PreviewedProps {
  readonly shown: keyof typeof pages
  readonly theme: 'light' | 'dark'
  readonly name: string
  readonly style: Style
  readonly logo: string | null
}

function Previewed({ shown, theme, name, style, logo }: PreviewedProps) {
  const { config } = useTexts()
  const present = useClientConfig()
  const signedIn = useSignedIn()
  const { sheet } = useSheet(style)
  const { page: Page, pathname, search } = pages[shown]
  const queryClient = useMemo(() => {
    const made = new QueryClient({ defaultOptions: { queries: { retry: false, refetchOnMount: false } } })
    made.setQueryData(clientConfigQuery.queryKey, previewed.config(present, name, logo))
    made.setQueryData(sessionQuery.queryKey, shown === 'consent' ? signedIn : null)
    made.setQueryData(['authorization', 'preview'], previewed.request)
    return made
  }, [present, name, logo, shown, signedIn])
  const routing = { location: { pathname, search, hash: '' }, action: 'replace', navigate: () => undefined } as const
  return (
    <Frame title={config.previews[shown]} theme={theme} sheet={sheet}>
      <QueryClientProvider client={queryClient}>
        <RoutingProvider value={routing}>
          <Suspense>
            <Page key={shown} />
          </Suspense>
        </RoutingProvider>
      </QueryClientProvider>
    </Frame>
  )
}

interface FrameProps {
  readonly title: string
  readonly theme: 'light' | 'dark'
  readonly sheet: string
  readonly children: ReactNode
}

/** A document of its own, so that the style sheet reaches nothing else. Nothing in it can be focused or pressed. */
function Frame({ title, theme, sheet, children }: FrameProps) {
  const [inside, setInside] = useState<Document>()
  useEffect(() => {
    const view = inside?.defaultView
    if (!inside || !view) return
    inside.documentElement.dataset.theme = theme
    const own = new view.CSSStyleSheet()
    own.replaceSync(sheet)
    inside.adoptedStyleSheets = [own]
  }, [inside, theme, sheet])
  return (
    <>
      <iframe
        title={title}
        tabIndex={-1}
        srcDoc="<!doctype html><title></title><body inert></body>"
        className="h-140 w-full rounded-lg border border-line"
        onLoad={({ currentTarget: { contentDocument } }) => {
          const styles = document.querySelectorAll('style, link[rel="stylesheet"]:not(#brand)')
          contentDocument?.head.append(...Array.from(styles, (style) => style.cloneNode(true)))
          setInside(contentDocument ?? undefined)
        }}
      />
      {inside && createPortal(children, inside.body)}
    </>
  )
}
