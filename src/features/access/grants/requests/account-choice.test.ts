import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addressesIn, browserOf } from '../../../../../test/service/accounts.ts'
import {
  CALLBACK,
  queryFor,
  type Registered,
  register,
  tokenRequest,
} from '../../../../../test/service/applications.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { newVerifier } from '../../../../../test/service/grants.ts'
import { itWith } from '../../../../../test/service/it.ts'
import type { Person } from '../../../../../test/service/people.ts'

const it = itWith({ authentication: { accounts_per_browser: 3 } })

interface Landed {
  readonly status: number
  readonly error: string | null
  readonly token: string | undefined
  readonly email: string | undefined
}

/** Opens the address of a request, and redeems the code, if there is one. */
async function authorize(
  browser: Person,
  shop: Registered,
  changes: Readonly<Record<string, string>>,
): Promise<Landed> {
  const verifier = newVerifier()
  const { status, headers } = await browser.get(
    `/oauth/authorize?${new URLSearchParams(queryFor(shop, verifier, changes))}`,
  )
  const query = new URL(headers.get('location') ?? CALLBACK).searchParams
  const code = query.get('code')
  const form = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: CALLBACK, code_verifier: verifier }
  const token = code === null ? undefined : (await tokenRequest(browser, shop, form)).body.id_token
  return { status, error: query.get('error'), token, email: emailIn(token) }
}

function emailIn(token: string | undefined): string | undefined {
  return token && JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).email
}

describe('login_hint at /oauth/authorize', () => {
  it('chooses an account of this browser, which need not be the active one and does not become it', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const browser = await browserOf(service, ann, ben)

    const active = await authorize(browser, shop, {})
    const hinted = await authorize(browser, shop, { login_hint: 'Ann@Example.com' })
    const quiet = await authorize(browser, shop, { login_hint: ann.email, prompt: 'none' })

    assert.deepEqual([active.email, hinted.email, quiet.email], [ben.email, ann.email, ann.email])
    assert.deepEqual(await addressesIn(browser), [ben.email, ann.email])
  })

  it('of an account that this browser does not hold needs a choice', async ({ service, administrator, ann, ben }) => {
    const shop = await register(administrator, { skip_consent: true })
    const browser = await browserOf(service, ben)

    const asked = await authorize(browser, shop, { login_hint: ann.email })
    const quiet = await authorize(browser, shop, { login_hint: ann.email, prompt: 'none' })

    assert.deepEqual([asked.email, asked.error], [undefined, null])
    assert.deepEqual([quiet.email, quiet.error], [undefined, 'account_selection_required'])
  })

  it('fills in the form only, while a browser has one account', async ({ service, administrator, ann, ben }) => {
    await changeSettings(service, 'authentication', { accounts_per_browser: 1 })
    const shop = await register(administrator, { skip_consent: true })
    const browser = await browserOf(service, ben)

    assert.equal((await authorize(browser, shop, { login_hint: ann.email })).email, ben.email)
  })

  it('gives no access that its account has not given', async ({ service, administrator, ann, ben }) => {
    const shop = await register(administrator)
    const browser = await browserOf(service, ann, ben)

    const quiet = await authorize(browser, shop, { login_hint: ann.email, prompt: 'none' })

    assert.deepEqual([quiet.email, quiet.error], [undefined, 'consent_required'])
  })
})

describe('id_token_hint at /oauth/authorize', () => {
  it('renews for the account that it names, whichever is active', async ({ service, administrator, ann, ben }) => {
    const shop = await register(administrator, { skip_consent: true })
    const browser = await browserOf(service, ann, ben)
    const first = await authorize(browser, shop, { login_hint: ann.email })

    const renewed = await authorize(browser, shop, { id_token_hint: first.token ?? '', prompt: 'none' })
    await browser.post('/api/auth/sign-out')
    const after = await authorize(browser, shop, { id_token_hint: first.token ?? '', prompt: 'none' })

    assert.deepEqual([renewed.email, after.error], [ann.email, 'login_required'])
  })
})

describe('prompt=select_account at /oauth/authorize', () => {
  it('always asks, and is refused if nobody can be asked', async ({ service, administrator, ann, ben }) => {
    const shop = await register(administrator, { skip_consent: true })
    const browser = await browserOf(service, ann, ben)

    const asked = await authorize(browser, shop, { prompt: 'select_account', login_hint: ann.email })

    assert.deepEqual([asked.email, asked.error], [undefined, null])
  })
})
