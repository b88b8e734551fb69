import assert from 'node:assert/strict'
import { createAuthClient } from 'better-auth/client'
import { twoFactorClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewer } from 'better-auth-1.7/client'
import { twoFactorClient as newerTwoFactor } from 'better-auth-1.7/client/plugins'
import { describe } from 'vitest'
import { Jar } from '../../processes/jar.ts'
import { listening } from '../../processes/listening.ts'
import { AuthenticatorApp } from '../../service/devices/factors.ts'
import { it } from '../../service/it.ts'

const email = 'ann@example.com'
const password = 'a long walk in the rain'

/** Only the cookie jar is ours, in place of the browser's. */
function optionsFor(url: string) {
  const jar = new Jar()
  const customFetchImpl = (address: Parameters<typeof fetch>[0], init?: RequestInit) =>
    jar.fetch(String(address), { origin: url, ...init })
  return { baseURL: `${url}/api/auth`, fetchOptions: { customFetchImpl } }
}

type Call<Input, Data = unknown> = (input: Input) => Promise<{ readonly data: Data | null; readonly error: unknown }>

/** A release whose published types differ does not compile. */
interface Published {
  readonly signUp: { readonly email: Call<{ email: string; password: string; name: string }> }
  readonly signIn: { readonly email: Call<{ email: string; password: string }> }
  readonly twoFactor: {
    readonly enable: Call<{ password: string; issuer: string }>
    readonly getTotpUri: Call<{ password: string }, { totpURI: string }>
    readonly verifyTotp: Call<{ code: string; trustDevice?: boolean }, { token: string }>
    readonly verifyBackupCode: Call<{ code: string }, { token?: string | undefined }>
    readonly generateBackupCodes: Call<{ password: string }, { backupCodes: string[] }>
    readonly disable: Call<{ password: string }, { status: boolean }>
  }
}

const RELEASES: Record<string, (url: string) => Published> = {
  1.6: (url) => createAuthClient({ ...optionsFor(url), plugins: [twoFactorClient()] }),
  1.7: (url) => createNewer({ ...optionsFor(url), plugins: [newerTwoFactor()] }),
}

for (const [version, browser] of Object.entries(RELEASES)) {
  describe(`twoFactorClient of ${version}, unchanged`, () => {
    it('adds an app, takes the second step with a code and a backup code, renews the codes and removes the app', async ({
      service,
    }) => {
      await using server = await listening(service)
      const desk = browser(server.url)
      const phone = browser(server.url)
      await desk.signUp.email({ email, password, name: 'Ann' })

      const enabled = await desk.twoFactor.enable({ password, issuer: 'Owls' })
      const { totpURI = '', backupCodes = [] } = Object(enabled.data)
      const app = new AuthenticatorApp(service, { totpURI, backupCodes })
      const early = await desk.twoFactor.getTotpUri({ password })
      const first = await desk.twoFactor.verifyTotp({ code: app.code() })
      const again = await desk.twoFactor.getTotpUri({ password })
      service.clock.advance({ seconds: 30 })
      const asked = await phone.signIn.email({ email, password })
      const wrong = await phone.twoFactor.verifyTotp({ code: '000000' })
      const right = await phone.twoFactor.verifyTotp({ code: app.code(), trustDevice: true })
      const trusted = await phone.signIn.email({ email, password })
      const other = browser(server.url)
      await other.signIn.email({ email, password })
      const byBackup = await other.twoFactor.verifyBackupCode({ code: app.backupCodes[0] ?? '' })
      const renewed = await desk.twoFactor.generateBackupCodes({ password })
      const removed = await desk.twoFactor.disable({ password })
      const plain = await browser(server.url).signIn.email({ email, password })

      assert.equal(first.error, null, JSON.stringify(first.error))
      const [secret] = /secret=\w+/.exec(totpURI) ?? assert.fail(totpURI)
      for (const { data } of [early, again]) assert.ok(data?.totpURI.includes(secret))
      assert.deepEqual(Object(asked.data).twoFactorMethods, ['totp'])
      assert.equal(Object(wrong.error).code, 'INVALID_CODE')
      assert.match(right.data?.token ?? '', /^ghs_/)
      assert.match(Object(trusted.data).token ?? '', /^ghs_/)
      assert.match(byBackup.data?.token ?? '', /^ghs_/)
      assert.equal(renewed.data?.backupCodes.length, 10)
      assert.equal(removed.data?.status, true)
      assert.match(Object(plain.data).token ?? '', /^ghs_/)
    })
  })
}
