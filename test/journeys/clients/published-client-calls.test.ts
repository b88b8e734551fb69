import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createAuthClient } from 'better-auth/client'
import { emailOTPClient, genericOAuthClient } from 'better-auth/client/plugins'
import * as newer from 'better-auth-1.7/client'
import * as newerPlugins from 'better-auth-1.7/client/plugins'
import { it } from 'vitest'
import { Jar } from '../../processes/jar.ts'
import { listening } from '../../processes/listening.ts'
import { enableProvider } from '../../providers/journey.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { type Service, startService } from '../../service/service.ts'

const email = 'ann@example.com'
const password = 'a long walk in the rain'
const newPassword = 'a quieter walk in the snow'
const provider = 'github'

interface Result {
  readonly error: { readonly status: number } | null
}

const older = { createAuthClient, emailOTPClient, genericOAuthClient }
/** 1.7 makes the calls of generic providers up from their names, without a plugin. */
const genericOAuth = () => ({ id: 'generic-oauth' })
const RELEASES = {
  1.6: older,
  1.7: asOlder({ ...newer, ...newerPlugins, genericOAuthClient: genericOAuth }),
}

/** The calls are the same; the types of the two releases do not mix. */
function asOlder(release: unknown): typeof older {
  return release as typeof older
}

/** The client as it is published, with a cookie jar in place of the browser's. */
function published(url: string, { createAuthClient, emailOTPClient, genericOAuthClient } = older) {
  const jar = new Jar()
  const plugins = [emailOTPClient(), genericOAuthClient()]
  return createAuthClient({
    baseURL: `${url}/api/auth`,
    plugins,
    fetchOptions: { customFetchImpl: (address, init) => jar.fetch(address, { origin: url, ...init }) },
  })
}

/** Every call that the client and the two plugins offer, in an order in which each can succeed. */
function callsOf(client: ReturnType<typeof published>, { platform, mail, clock }: Service) {
  const code = async () => ({ email, otp: await mail.codeFor(email) })
  const later = <T>(call: () => T) => {
    return () => {
      clock.advance({ minutes: 2 })
      return call()
    }
  }
  const signedIn = <T>(call: () => Promise<T>) => {
    return async () => {
      await client.signIn.email({ email, password })
      return call()
    }
  }
  // The paths of calls that the client makes up from their names.
  const raw = (path: string, body?: object) =>
    client.$fetch<unknown>(path, body ? { method: 'POST', body } : { method: 'GET' })
  return {
    'signUp.email': () => client.signUp.email({ email, password, name: 'Ann' }),
    'signIn.email': () => client.signIn.email({ email, password }),
    getSession: () => client.getSession(),
    listSessions: () => client.listSessions(),
    updateUser: () => client.updateUser({ name: 'Anna' }),
    listAccounts: () => client.listAccounts(),
    linkSocial: () => client.linkSocial({ provider, callbackURL: '/settings' }),
    unlinkAccount: async () => {
      const { data } = await client.getSession()
      const ofUser = platform.meta.selectFrom('account').where('user_id', '=', data?.user.id ?? '')
      const account = await ofUser.selectAll().executeTakeFirstOrThrow()
      const linked = { ...account, id: 'linked', provider: 'provider_b', provider_account_id: '7' } as const
      await platform.meta.insertInto('account').values(linked).execute()
      return client.unlinkAccount({ providerId: provider })
    },
    'signIn.social': () => client.signIn.social({ provider, callbackURL: '/' }),
    'signIn.oauth2': () => client.signIn.oauth2({ providerId: 'community', callbackURL: '/' }),
    'oauth2.link': () => client.oauth2.link({ providerId: 'community', callbackURL: '/' }),
    'emailOtp.sendVerificationOtp': () =>
      client.emailOtp.sendVerificationOtp({ email, type: 'email-verification' }),
    'emailOtp.checkVerificationOtp': async () =>
      client.emailOtp.checkVerificationOtp({ ...(await code()), type: 'email-verification' }),
    'emailOtp.verifyEmail': async () => client.emailOtp.verifyEmail(await code()),
    'signIn.emailOtp': () => client.signIn.emailOtp({ email, otp: '123456' }),
    changeEmail: () => client.changeEmail({ newEmail: 'ann@new.example' }),
    'emailOtp.requestEmailChange': () =>
      raw('/email-otp/request-email-change', { newEmail: 'a@new.example' }),
    'emailOtp.changeEmail': () =>
      raw('/email-otp/change-email', { newEmail: 'a@new.example', otp: '123456' }),
    verifyPassword: () => raw('/verify-password', { password }),
    changePassword: () => client.changePassword({ currentPassword: password, newPassword }),
    'emailOtp.requestPasswordReset': later(() => client.emailOtp.requestPasswordReset({ email })),
    'emailOtp.resetPassword': async () => client.emailOtp.resetPassword({ ...(await code()), password }),
    'forgetPassword.emailOtp': later(() => raw('/forget-password/email-otp', { email })),
    requestPasswordReset: () => client.requestPasswordReset({ email }),
    resetPassword: () => client.resetPassword({ newPassword, token: 'a-token' }),
    sendVerificationEmail: () => client.sendVerificationEmail({ email }),
    verifyEmail: () => client.verifyEmail({ query: { token: 'a-token' } }),
    'signIn.email again': () => client.signIn.email({ email, password }),
    updateSession: () => raw('/update-session', { theme: 'dark' }),
    getAccessToken: () => client.getAccessToken({ providerId: provider }),
    refreshToken: () => client.refreshToken({ providerId: provider }),
    accountInfo: () => raw('/account-info?accountId=1'),
    ok: () => raw('/ok'),
    revokeSession: async () =>
      client.revokeSession({ token: (await client.getSession()).data?.session.token ?? '' }),
    revokeOtherSessions: signedIn(() => client.revokeOtherSessions()),
    revokeSessions: () => client.revokeSessions(),
    signOut: signedIn(() => client.signOut()),
    deleteUser: signedIn(() => client.deleteUser({ password })),
  } satisfies Record<string, () => Promise<Result>>
}

function codeOf(error: object): string {
  return 'code' in error ? String(error.code) : 'without a code'
}

for (const [release, library] of Object.entries(RELEASES))
  it(`the specification says of each call of the published client ${release} whether it works here`, async () => {
    const env = { PROVIDER_B: provider, COMMUNITY_AUTH_URL: 'https://community.example.com' }
    await using service = await startService({ env })
    await changeSettings(service, 'email', { provider: 'smtp' })
    for (const slot of ['provider_b', 'community'] as const) await enableProvider(service, slot)
    await using server = await listening(service)

    const rows: string[] = []
    for (const [name, call] of Object.entries(callsOf(published(server.url, library), service))) {
      const { error } = await call()
      if (!name.endsWith(' again'))
        rows.push(`${name}: ${error ? `${error.status} ${codeOf(error)}` : 'works'}`)
    }

    const page = await readFile(new URL('../../../docs/specification.md', import.meta.url), 'utf8')
    const [, listed = ''] = /<!-- calls of the published client -->\n\n([\s\S]*?)\n\n/.exec(page) ?? []
    assert.deepEqual(
      listed
        .split('\n')
        .map((line) => line.replace(/^\| `(\S+)` +\| (.*?) +\|$/, '$1: $2'))
        .slice(2),
      rows,
    )
  })
