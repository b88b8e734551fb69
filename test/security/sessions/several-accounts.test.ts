import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Part, Settings } from '../../../src/features/ground/settings/model.ts'
import { linkVia, signInVia } from '../../providers/journey.ts'
import { addressesIn, LIST, REVOKE, referenceOf, SET_ACTIVE, signInAs } from '../../service/accounts.ts'
import { assertRefused } from '../../service/answers.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, type SecurityKey, showPasskey, signUpWithPasskey } from '../../service/devices/security-key.ts'
import { Person } from '../../service/people.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { it as inHouse, type World } from '../support/house.ts'

const it = inHouse.extend<{ settings: { readonly [P in Part]?: Partial<Settings[P]> } }>({
  settings: { ...WITH_MAIL, authentication: { ...NO_COOLDOWN, accounts_per_browser: 2 } },
})

/** Signs Ann in, in a browser in which Ben is signed in. */
const WAYS_IN: Readonly<Record<string, (world: World, browser: Person) => Promise<unknown>>> = {
  'a password': ({ ann }, browser) => signInAs(browser, ann),
  'a provider': async ({ ann }, browser) => {
    await linkVia(ann, 'community')
    return signInVia(browser, 'community')
  },
  'a passkey, though the active account has one too': async ({ ann, ben, newKey }, browser) => {
    await addPasskey(ben, newKey())
    const key = newKey()
    await addPasskey(ann, key)
    return signInWith(browser, key)
  },
  'a code of the second step': async ({ service, ann }, browser) => {
    const app = await addApp(service, ann)
    service.clock.advance({ minutes: 1 })
    await signInAs(browser, ann)
    return verifyTotp(browser, app.code())
  },
  'a backup code': async ({ service, ann }, browser) => {
    const app = await addApp(service, ann)
    await signInAs(browser, ann)
    return verifyBackupCode(browser, app.backupCodes[0] ?? '')
  },
  'a passkey as the second step': async ({ service, ann, newKey }, browser) => {
    const key = newKey()
    await addApp(service, ann)
    await addPasskey(ann, key)
    await signInAs(browser, ann)
    return showPasskey(browser, key)
  },
}

async function signInWith(browser: Person, key: SecurityKey) {
  const { body } = await browser.get('/api/auth/passkey/generate-authenticate-options?account=another')
  assert.equal(body.allowCredentials?.length ?? 0, 0)
  return browser.post('/api/auth/passkey/verify-authentication', { response: key.show(body) })
}

describe('a browser with several accounts', () => {
  it.for(Object.entries(WAYS_IN))('gets one more by %s', async ([, way], { world, service, ben }) => {
    const browser = new Person(service, ben.email, ben.password)
    await signInAs(browser, ben)

    await way(world, browser)

    assert.deepEqual(await addressesIn(browser), [world.ann.email, ben.email])
  })

  it('gets one more by a sign-up with a passkey', async ({ service, ben, newKey }) => {
    const browser = new Person(service, 'eve@example.com', 'a tent in the dunes')
    await signInAs(browser, ben)

    await signUpWithPasskey(browser, newKey())

    assert.deepEqual(await addressesIn(browser), ['eve@example.com', ben.email])
  })
})

describe('another site', () => {
  it('neither switches nor ends nor reads the accounts of a browser', async ({ service, ann, ben }) => {
    const browser = new Person(service, ben.email, ben.password)
    await signInAs(browser, ann)
    await signInAs(browser, ben)
    const sessionToken = await referenceOf(browser, ann)
    const origin = { origin: 'https://evil.example' }

    for (const path of [SET_ACTIVE, REVOKE]) {
      assertRefused(await browser.post(path, { sessionToken }, origin), 'INVALID_ORIGIN')
      const form = { ...origin, 'content-type': 'application/x-www-form-urlencoded' }
      const sent = await browser.send(path, { method: 'POST', headers: form, body: `sessionToken=${sessionToken}` })
      assert.notEqual(sent.status, 200)
    }
    const read = await browser.get(LIST, origin)
    assert.equal(read.headers.get('access-control-allow-origin'), null)
    assert.deepEqual(await addressesIn(browser), [ben.email, ann.email])
  })
})
