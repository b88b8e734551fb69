import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Segments } from '../../ui/controls/segments.tsx'
import { TextLink, textLinkClass } from '../../ui/controls/text-link.tsx'
import { areSettled } from '../../ui/lists/settled.ts'
import { Page } from '../../ui/page.tsx'
import { Place } from '../place.tsx'
import { Assistants } from './assistants.tsx'
import { ProductPages } from './product-pages.tsx'
import { proxyCode } from './proxy-code.ts'
import { latestFeedbackQuery, productPagesQuery } from './queries.ts'
import { Snippet } from './snippet.tsx'

const exampleOrigin = 'https://app.example.com'

/** Code for an integrator to copy, with the addresses of this installation in it. */
export function ConsoleConnect() {
  const { connecting: words } = useTexts()
  const { public_url } = useClientConfig()
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <a href="/api/docs" className={textLinkClass}>
          {words.api}
        </a>
      }
    >
      <Snippets issuer={public_url} />
    </Page>
  )
}

function Snippets({ issuer }: { readonly issuer: string }) {
  const { connecting: words } = useTexts()
  const isSettled = areSettled([useQuery(productPagesQuery), useQuery(latestFeedbackQuery)])
  return (
    <>
      <Card title={words.signIn} lead={words.signInText} isSplit>
        <SignInLink issuer={issuer} />
      </Card>
      <Card title={words.elements} lead={words.elementsText} isSplit>
        <Snippet name={words.elements} code={elementsCode(issuer)} />
        <ProductPages />
      </Card>
      <Card title={words.check} lead={words.checkText} isSplit>
        <Check issuer={issuer} />
      </Card>
      <Place id="tool" isSettled={isSettled}>
        <Tool issuer={issuer} />
      </Place>
      <Assistants issuer={issuer} />
    </>
  )
}

const codes = {
  node: verifierCode,
  proxy: proxyCode,
  openId: (issuer: string) => `${issuer}/.well-known/openid-configuration`,
}

/** The ways in which a back end learns who calls it: one is enough. */
function Check({ issuer }: { readonly issuer: string }) {
  const { connecting: words } = useTexts()
  const [way, setWay] = useState<keyof typeof codes>('node')
  return (
    <div className="flex flex-col gap-4">
      <Segments label={words.check} value={way} options={words.ways} onChange={setWay} />
      <p className="text-small">{words.wayTexts[way]}</p>
      <Snippet name={words.ways[way]} code={codes[way](issuer)} />
    </div>
  )
}

function SignInLink({ issuer }: { readonly issuer: string }) {
  const { connecting: words } = useTexts()
  const { return_origins: origins } = useClientConfig()
  const returnTo = encodeURIComponent(`${origins[0] ?? exampleOrigin}/`)
  return (
    <>
      <Snippet name={words.signIn} code={`${issuer}/sign-in?return_to=${returnTo}`} />
      <p className="mt-3 text-small">
        {words.origins}: {origins.length > 0 ? origins.join(', ') : words.noOrigins}{' '}
        <TextLink to="/console/settings/brand">{words.originsAction}</TextLink>
      </p>
    </>
  )
}

function Tool({ issuer }: { readonly issuer: string }) {
  const { connecting: words } = useTexts()
  const { app_name } = useClientConfig()
  const name = app_name.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'production'
  return (
    <Card title={words.tool} lead={words.toolText} isSplit>
      <Snippet name={words.tool} code={`gatehouse connect ${name} ${issuer} account:profile:read`} />
    </Card>
  )
}

function elementsCode(issuer: string): string {
  return `<script type="module" src="${issuer}/elements.js"></script>
<gatehouse-user></gatehouse-user>
<gatehouse-notifications></gatehouse-notifications>
<gatehouse-feedback></gatehouse-feedback>`
}

function verifierCode(issuer: string): string {
  return `import { createVerifier } from 'gatehouse/server'

const verifier = createVerifier({ issuer: '${issuer}' })

const user = await verifier.verify(request)
if (!user) return new Response(null, { status: 401 })
return Response.json({ userId: user.userId, role: user.role })`
}
