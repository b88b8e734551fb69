import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import { Answer } from '../../../../http/answers/answer.ts'
import type { Call } from '../../../../http/route.ts'
import { escapedHtml } from '../../../../rules/html.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { codeLifetimeSeconds } from '../lifetimes.ts'

interface Back {
  readonly redirectUri: string
  readonly state: string | null | undefined
  readonly mode: AuthorizationRequestTable['response_mode']
}

/**
 * The address the browser takes the response to: the client's, with the unchanged state and the issuer (RFC 9207). A
 * form goes to a page of ours, which posts it.
 */
export function responseTo(
  call: Call,
  { redirectUri, state, mode }: Back,
  parameters: Readonly<Record<string, string>>,
): string {
  const { baseUrl } = call.platform.config
  const fields = { ...parameters, ...(state && { state }), iss: baseUrl }
  if (mode === 'form_post') {
    const form = sealed(call, { action: redirectUri, fields, at: call.platform.now() })
    return `${baseUrl}/api/oauth/respond?${new URLSearchParams({ form })}`
  }
  const url = new URL(redirectUri)
  if (mode === 'fragment') url.hash = new URLSearchParams(fields).toString()
  else for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  // A private scheme keeps its capitals, by which some systems look for the program.
  return redirectUri.slice(0, url.protocol.length) + url.href.slice(url.protocol.length)
}

const SEALED_FOR = 'form of an authorization response'

const Form = z.object({ action: z.string(), fields: z.record(z.string(), z.string()), at: z.number() })
type Form = z.output<typeof Form>

/** The form is sealed, so that nobody can make this origin send one anywhere else. */
function sealed({ platform }: Call, form: Form): string {
  return platform.secretBox.seal(SEALED_FOR, JSON.stringify(form))
}

/** The page of the OAuth 2.0 Form Post Response Mode. */
export function formPage(call: Call, form: string): Answer {
  const { action, fields } = opened(call, form)
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapedHtml(name)}" value="${escapedHtml(value)}">`,
  )
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Continue</title>
<form method="post" action="${escapedHtml(action)}">${inputs.join('')}
<noscript><button>Continue · 继续</button></noscript></form>
<script>${SCRIPT}</script></html>`
  return new Answer(body, 200, HEADERS)
}

const SCRIPT = 'document.forms[0].submit()'
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64')

/** Sets no `form-action`: Chromium would apply it to the client's own redirects. */
const HEADERS = {
  'content-type': 'text/html; charset=UTF-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin',
}

function opened({ platform }: Call, form: string): Form {
  let text: string
  try {
    text = platform.secretBox.open(SEALED_FOR, form)
  } catch (cause) {
    throw new Refusal('NOT_FOUND', 'This is not a response of this service.', { cause })
  }
  const found = Form.parse(JSON.parse(text))
  if (found.at + codeLifetimeSeconds * 1000 <= platform.now())
    throw new Refusal('NOT_FOUND', 'This response has expired; sign in again.')
  return found
}
