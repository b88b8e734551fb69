import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createAuthClient } from 'better-auth/client'
import { emailOTPClient, genericOAuthClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewer } from 'better-auth-1.7/client'
import { emailOTPClient as newerEmailOTP } from 'better-auth-1.7/client/plugins'
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

/** Has a cookie jar in place of the browser's. */
function browserAt(url: string) {
  const jar = new Jar()
  const customFetchImpl = (address: string | URL | Request, init?: RequestInit) =>
    jar.fetch(address, { origin: url, ...init })
  return { baseURL: `${url}/api/auth`, fetchOptions: { customFetchImpl } }
}

const release16 = (url: string) =>
  createAuthClient({ ...browserAt(url), plugins: [emailOTPClient(), genericOAuthClient()] })
const release17 = (url: string) => createNewer({ ...browserAt(url), plugins: [newerEmailOTP()] })

type Call<Input> = (input: Input) => Promise<Result>

/** The calls that both releases publish with the same types; a client that lacks one of them does not compile. */
interface Published {
  readonly signUp: { readonly email: Call<{ email: string; password: string; name: string }> }
  readonly signIn: {
    readonly email: Call<{ email: string; password: string }>
    readonly social: Call<{ provider: string; callbackURL: string }>
    readonly emailOtp: Call<{ email: string; otp: string }>
  }
  readonly getSession: () => Promise<Result & { readonly data: Session | null }>
  readonly listSessions: () => Promise<Result>
  readonly updateUser: Call<{ name: string }>
  readonly listAccounts: () => Promise<Result & { readonly data: readonly Account[] | null }>
  readonly linkSocial: Call<{ provider: string; callbackURL: string }>
  readonly emailOtp: {
    readonly sendVerificationOtp: Call<{ email: string; type: 'email-verification' }>
    readonly checkVerificationOtp: Call<{ email: string; otp: string; type: 'email-verification' }>
    readonly verifyEmail: Call<{ email: string; otp: string }>
    readonly requestPasswordReset: Call<{ email: string }>
    readonly resetPassword: Call<{ email: string; otp: string; password: string }>
  }
  readonly changeEmail: Call<{ newEmail: string }>
  readonly changePassword: Call<{ currentPassword: string; newPassword: string }>
  readonly requestPasswordReset: Call<{ email: string }>
  readonly resetPassword: Call<{ newPassword: string; token: string }>
  readonly sendVerificationEmail: Call<{ email: string }>
  readonly verifyEmail: Call<{ query: { token: string } }>
  readonly revokeSession: Call<{ token: string }>
  readonly revokeOtherSessions: () => Promise<Result>
  readonly revokeSessions: () => Promise<Result>
  readonly signOut: () => Promise<Result>
  readonly deleteUser: Call<{ password: string }>
}

interface Session {
  readonly user: { readonly id: string }
  readonly session: { readonly token: string }
}

interface Account {
  readonly id: string
  readonly providerId: string
}

/** The calls that the two releases publish with different types. */
interface Own {
  /** A call that the client makes up from its name. */
  readonly raw: (path: string, body?: object) => Promise<Result>
  readonly unlinkAccount: Call<Account>
  readonly getAccessToken: Call<Account>
  readonly refreshToken: Call<Account>
  readonly signInWithCommunity: () => Promise<Result>
  readonly linkCommunity: () => Promise<Result>
}

const community = { providerId: 'community', callbackURL: '/' }

const RELEASES: Record<string, (url: string) => { readonly client: Published; readonly own: Own }> = {
  1.6: (url) => {
    const client = release16(url)
    const own = {
      raw: (path: string, body?: object) => client.$fetch<unknown>(path, initOf(body)),
      unlinkAccount: ({ providerId }: Account) => client.unlinkAccount({ providerId }),
      getAccessToken: ({ providerId }: Account) => client.getAccessToken({ providerId }),
      refreshToken: ({ providerId }: Account) => client.refreshToken({ providerId }),
      signInWithCommunity: () => client.signIn.oauth2(community),
      linkCommunity: () => client.oauth2.link(community),
    }
    return { client, own }
  },
  1.7: (url) => {
    const client = release17(url)
    const own = {
      raw: (path: string, body?: object) => client.$fetch<unknown>(path, initOf(body)),
      unlinkAccount: ({ id }: Account) => client.unlinkAccount({ accountId: id }),
      getAccessToken: ({ id }: Account) => client.getAccessToken({ accountId: id }),
      refreshToken: ({ id }: Account) => client.refreshToken({ accountId: id }),
      signInWithCommunity: () => client.signIn.social({ provider: 'community', callbackURL: '/' }),
      linkCommunity: () => client.linkSocial({ provider: 'community', callbackURL: '/' }),
    }
    return { client, own }
  },
}

function initOf(body: object | undefined) {
  return body ? { method: 'POST' as const, body } : { method: 'GET' as const }
}

/** Every call that the client and the two plugins offer, in an order in which each can succeed. */
function callsOf(client: Published, own: Own, { platform, mail, clock }: Service) {
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
  const { raw } = own
  const linked = async () => {
    const { data } = await client.listAccounts()
    return data?.find(({ providerId }) => providerId === 'provider_b') ?? assert.fail('nothing is linked')
  }
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
      const github = { ...account, id: 'linked', provider: 'provider_b', provider_account_id: '7' } as const
      await platform.meta.insertInto('account').values(github).execute()
      return own.unlinkAccount(await linked())
    },
    'signIn.social': () => client.signIn.social({ provider, callbackURL: '/' }),
    'signIn.oauth2': own.signInWithCommunity,
    'oauth2.link': own.linkCommunity,
    'emailOtp.sendVerificationOtp': () => client.emailOtp.sendVerificationOtp({ email, type: 'email-verification' }),
    'emailOtp.checkVerificationOtp': async () =>
      client.emailOtp.checkVerificationOtp({ ...(await code()), type: 'email-verification' }),
    'emailOtp.verifyEmail': async () => client.emailOtp.verifyEmail(await code()),
    'signIn.emailOtp': () => client.signIn.emailOtp({ email, otp: '123456' }),
    changeEmail: () => client.changeEmail({ newEmail: 'ann@new.example' }),
    'emailOtp.requestEmailChange': () => raw('/email-otp/request-email-change', { newEmail: 'a@new.example' }),
    'emailOtp.changeEmail': () => raw('/email-otp/change-email', { newEmail: 'a@new.example', otp: '123456' }),
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
    getAccessToken: () => own.getAccessToken({ id: 'linked', providerId: provider }),
    refreshToken: () => own.refreshToken({ id: 'linked', providerId: provider }),
    accountInfo: () => raw('/account-info?accountId=1'),
    ok: () => raw('/ok'),
    revokeSession: async () => client.revokeSession({ token: (await client.getSession()).data?.session.token ?? '' }),
    revokeOtherSessions: signedIn(() => client.revokeOtherSessions()),
    revokeSessions: () => client.revokeSessions(),
    signOut: signedIn(() => client.signOut()),
    deleteUser: signedIn(() => client.deleteUser({ password })),
  } satisfies Record<string, () => Promise<Result>>
}

function codeOf(error: object): string {
  return 'code' in error ? String(error.code) : 'without a code'
}

for (const [release, published] of Object.entries(RELEASES))
  it(`the specification says of each call of the published client ${release} whether it works here`, async () => {
    const env = { PROVIDER_B: provider, COMMUNITY_AUTH_URL: 'https://community.example.com' }
    await using service = await startService({ env })
    await changeSettings(service, 'email', { provider: 'smtp' })
    for (const slot of ['provider_b', 'community'] as const) await enableProvider(service, slot)
    await using server = await listening(service)

    const rows: string[] = []
    const { client, own } = published(server.url)
    for (const [name, call] of Object.entries(callsOf(client, own, service))) {
      const { error } = await call()
      if (!name.endsWith(' again')) rows.push(`${name}: ${error ? `${error.status} ${codeOf(error)}` : 'works'}`)
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
