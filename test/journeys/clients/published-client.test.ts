import assert from 'node:assert/strict'
import { createAuthClient } from 'better-auth/client'
import { emailOTPClient, genericOAuthClient, jwtClient } from 'better-auth/client/plugins'
import { decodeProtectedHeader } from 'jose'
import { describe } from 'vitest'
import { Jar } from '../../processes/jar.ts'
import { listening } from '../../processes/listening.ts'
import { enableProvider } from '../../providers/journey.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { it } from '../../service/it.ts'
import { startService } from '../../service/service.ts'

const email = 'ann@example.com'
const password = 'a long walk in the rain'
const newPassword = 'a quieter walk in the snow'

/** The unmodified published client, as in a browser of its own: only the cookie jar is ours. */
function browser(url: string) {
  const jar = new Jar()
  return createAuthClient({
    baseURL: `${url}/api/auth`,
    plugins: [emailOTPClient(), genericOAuthClient(), jwtClient()],
    fetchOptions: { customFetchImpl: (address, init) => jar.fetch(address, { origin: url, ...init }) },
  })
}

describe('the published client, over a socket', () => {
  it('signs up, verifies, signs in, lists and revokes sessions, resets the password, signs out', async ({
    service,
  }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    await changeSettings(service, 'authentication', { email_verification_required: true })
    await using server = await listening(service)
    const desk = browser(server.url)
    const phone = browser(server.url)

    const signedUp = await desk.signUp.email({ email, password, name: email })
    assert.equal(signedUp.data?.token, null)
    assert.equal(signedUp.data?.user.email, email)
    const tooEarly = await desk.signIn.email({ email, password })
    assertRefused(tooEarly, [403, 'EMAIL_NOT_VERIFIED'])

    const sent = await desk.emailOtp.sendVerificationOtp({ email, type: 'email-verification' })
    assert.equal(sent.data?.success, true)
    const verified = await desk.emailOtp.verifyEmail({ email, otp: await service.mail.codeFor(email) })
    assert.deepEqual([verified.data?.status, verified.data?.token], [true, null])

    const byCode = await desk.signIn.emailOtp({ email, otp: '123456' })
    assertRefused(byCode, [400, 'EMAIL_OTP_SIGN_IN_DISABLED'])
    const signedIn = await desk.signIn.email({ email, password })
    assert.match(signedIn.data?.token ?? '', /^ghs_/)
    assert.equal((await desk.getSession()).data?.user.emailVerified, true)
    assert.ok((await desk.getSession()).data?.session.expiresAt instanceof Date)

    await phone.signIn.email({ email, password })
    const listed = await desk.listSessions()
    assert.equal(listed.data?.length, 2)
    const reference = (await phone.getSession()).data?.session.token ?? ''
    assert.equal((await desk.revokeSession({ token: reference })).data?.status, true)
    assert.equal((await phone.getSession()).data, null)

    await phone.signIn.email({ email, password })
    const change = { currentPassword: password, newPassword, revokeOtherSessions: true }
    const changed = await phone.changePassword(change)
    assert.match(changed.data?.token ?? '', /^ghs_/)
    assert.equal((await desk.getSession()).data, null)
    assert.equal((await phone.updateUser({ name: 'Ann' })).data?.status, true)
    assert.equal((await phone.getSession()).data?.user.name, 'Ann')

    assert.equal((await desk.emailOtp.requestPasswordReset({ email })).data?.success, true)
    const otp = await service.mail.codeFor(email)
    assert.equal((await desk.emailOtp.resetPassword({ email, otp, password })).data?.success, true)
    assert.equal((await phone.getSession()).data, null)

    await desk.signIn.email({ email, password })
    assert.equal((await desk.revokeOtherSessions()).data?.status, true)
    assert.equal((await desk.signOut()).data?.success, true)
    assert.equal((await desk.getSession()).data, null)
  })

  it('reads refusals: cooldown, weak password, duplicate, change of address', async ({ service }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    await using server = await listening(service)
    const desk = browser(server.url)

    const weak = await desk.signUp.email({ email, password: 'password1', name: email })
    await desk.signUp.email({ email, password, name: email })
    await desk.emailOtp.requestPasswordReset({ email })
    const again = await desk.emailOtp.requestPasswordReset({ email })
    const moved = await desk.changeEmail({ newEmail: 'ann@new.example' })
    service.clock.advance({ minutes: 2 })
    const duplicate = await desk.signUp.email({ email, password, name: email })
    const accounts = await desk.listAccounts()
    const deleted = await desk.deleteUser({ password })

    assertRefused(weak, [400, 'PASSWORD_COMPROMISED'])
    assertRefused(again, [429, 'EMAIL_ACTION_RATE_LIMITED'])
    assertRefused(moved, [400, 'EMAIL_CHANGE_DISABLED'])
    assertRefused(duplicate, [422, 'USER_ALREADY_EXISTS'])
    assert.equal(accounts.data?.[0]?.providerId, 'credential')
    assert.equal(deleted.data?.success, true)
    assert.equal((await desk.getSession()).data, null)
  })
  it('gets a signed token and the keys to check it with', async ({ service }) => {
    await using server = await listening(service)
    const desk = browser(server.url)
    await desk.signUp.email({ email, password, name: email })

    const { data } = await desk.token()
    const keys = await desk.jwks()

    const { kid } = decodeProtectedHeader(data?.token ?? '')
    assert.ok(keys.data?.keys.some((key) => key.kid === kid))
    assert.equal((await browser(server.url).token()).error?.status, 401)
  })

  it('is not remembered, is sent on, and names a provider by its preset', async () => {
    const env = { PROVIDER_A: 'google', PROVIDER_B: 'github', TRUSTED_ORIGINS: 'https://app.example.com' }
    const community = { COMMUNITY_AUTH_URL: 'https://community.example.com' }
    await using service = await startService({ env: { ...env, ...community } })
    for (const slot of ['provider_b', 'community'] as const) await enableProvider(service, slot)
    await using server = await listening(service)
    const desk = browser(server.url)
    await desk.signUp.email({ email, password, name: email })
    let cookies: readonly string[] = []
    const fetchOptions = {
      onSuccess: ({ response }: { response: Response }) => {
        cookies = response.headers.getSetCookie().filter((line) => line.startsWith('session='))
      },
    }

    const plain = await desk.signIn.email({ email, password, rememberMe: false, fetchOptions })
    const back = [`${server.url}/home`, 'https://app.example.com/home', '/home']
    const sent = []
    for (const callbackURL of back) sent.push(await desk.signIn.email({ email, password, callbackURL }))
    const foreign = await desk.signIn.email({ email, password, callbackURL: 'https://evil.example/' })
    const byPreset = await Promise.all(
      back.map((callbackURL) => desk.signIn.social({ provider: 'github', callbackURL })),
    )
    const linked = await desk.linkSocial({ provider: 'github', callbackURL: '/settings' })
    const unlinked = await desk.unlinkAccount({ providerId: 'github' })
    const absent = await desk.signIn.social({ provider: 'discord' })
    const generic = await desk.signIn.social({ provider: 'community', callbackURL: '/' })

    assert.deepEqual([plain.data?.redirect, plain.data?.url], [false, undefined])
    assert.equal(cookies.length, 1)
    assert.doesNotMatch(cookies.join(), /Max-Age|Expires/i)
    assert.deepEqual(
      sent.map(({ data, error }) => [data?.redirect, data?.url, error?.code]),
      back.map((url) => [true, url, undefined]),
    )
    assertRefused(foreign, [400, 'INVALID_REQUEST'])
    for (const { data } of [...byPreset, linked]) {
      const { origin, searchParams } = new URL(data?.url ?? '')
      assert.equal(origin, 'https://github.com')
      assert.match(searchParams.get('redirect_uri') ?? '', /\/callback\/provider_b$/)
    }
    assert.equal(unlinked.error?.code, 'NOT_FOUND')
    assert.equal(absent.error?.code, 'PROVIDER_DISABLED')
    assert.equal(new URL(generic.data?.url ?? '').origin, community.COMMUNITY_AUTH_URL)
  })
})

function assertRefused(
  { error }: { error: null | { status?: number; code?: string | undefined } },
  expected: [number, string],
): void {
  assert.deepEqual([error?.status, error?.code], expected)
}
