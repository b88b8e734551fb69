import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addApp, verifyTotp } from '../../service/devices/factors.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

async function world() {
  const service = await startService()
  const { ann, ben } = await people(service)
  const app = await addApp(service, ann)
  return { service, ann, ben, app, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

function newBrowser({ service, ann }: Awaited<ReturnType<typeof world>>): Person {
  return new Person(service, ann.email, ann.password)
}

describe('a trusted device', () => {
  it('needs no second step for 30 days, is listed, and needs it again once it is revoked', async () => {
    await using w = await world()
    const laptop = newBrowser(w)
    await laptop.signIn()
    await verifyTotp(laptop, w.app.code(), true)

    const trusted = await laptop.signIn()
    const { body } = await laptop.get('/api/auth/security-overview')
    const elsewhere = await newBrowser(w).signIn()
    await laptop.post('/api/auth/two-factor/revoke-trusted-device', { id: body.trustedDevices[0].id })
    const revoked = await laptop.signIn()

    assert.equal(typeof trusted.body.token, 'string')
    assert.deepEqual([body.trustedDevices.length, body.trustedDevices[0].isCurrent], [1, true])
    assert.match(JSON.stringify(elsewhere.body), /twoFactorRedirect/)
    assert.match(JSON.stringify(revoked.body), /twoFactorRedirect/)
  })

  it('ends after 30 days, and with everything else when the user signs out everywhere', async () => {
    await using w = await world()
    const laptop = newBrowser(w)
    await laptop.signIn()
    await verifyTotp(laptop, w.app.code(), true)
    await w.ann.post('/api/auth/revoke-sessions')
    const ended = await laptop.signIn()
    await verifyTotp(laptop, w.app.code(30), true)
    w.service.clock.advance({ days: 30 })

    assert.match(JSON.stringify(ended.body), /twoFactorRedirect/)
    assert.match(JSON.stringify((await laptop.signIn()).body), /twoFactorRedirect/)
  })

  it('of one user is nobody else’s', async () => {
    await using w = await world()
    const laptop = newBrowser(w)
    await laptop.signIn()
    await verifyTotp(laptop, w.app.code(), true)
    await addApp(w.service, w.ben)
    w.ben.cookies.set('trusted_device', laptop.cookies.get('trusted_device') ?? '')

    assert.match(JSON.stringify((await w.ben.signIn()).body), /twoFactorRedirect/)
  })
})
