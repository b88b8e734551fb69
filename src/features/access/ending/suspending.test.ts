import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { linkVia, signInVia, whoIs } from '../../../../test/providers/journey.ts'
import { it as inHouse } from '../../../../test/security/support/house.ts'
import { assertRefused, eachOf, refusal, statuses } from '../../../../test/service/answers.ts'
import { grantFor, refreshWith } from '../../../../test/service/grants.ts'
import { resetByCode } from '../../../../test/service/mailed.ts'
import { inNewBrowser } from '../../../../test/service/new-browser.ts'
import { Person, stranger } from '../../../../test/service/people.ts'

/** `suspend` gives spam as the reason. */
const it = inHouse.extend(
  'suspend',
  ({ administrator }) =>
    ({ id }: Person) =>
      administrator.post('/api/admin/suspend_user', { id, reason: 'Sent spam.' }),
)

describe('checklist 69: suspend_user', () => {
  it('ends sessions and grants at once, in every process, and keeps its reason', async ({
    service,
    administrator,
    ann,
    ben,
    suspend,
  }) => {
    const client = await grantFor(ann, 'account:profile:read')

    const answer = await suspend(ann)

    const elsewhere = new Person({ request: service.requestElsewhere }, ann.email, ann.password)
    elsewhere.cookies.set('session', ann.cookies.get('session') ?? '')
    assert.deepEqual([answer.status, answer.body], [200, {}])
    assert.deepEqual([await whoIs(ann), await whoIs(elsewhere)], [undefined, undefined])
    assert.equal((await client.post('/api/auth/update-user', { name: 'Ann' })).status, 401)
    assert.equal((await refreshWith(ben, client.tokens.refresh_token)).body.error, 'invalid_grant')
    const { body } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.deepEqual([body.suspension_reason, body.suspended_at], ['Sent spam.', service.clock.now()])
    assert.equal((await whoIs(ben)).id, ben.id)
  })

  it('is reported at every way to sign in, but only after the right credential', async ({ service, ann, suspend }) => {
    await linkVia(ann, 'community')
    await suspend(ann)

    const right = await inNewBrowser(service, ann).signIn()
    const wrong = await new Person(service, ann.email, 'not the password').signIn()
    const unknown = await stranger(service, 'nobody@example.com').signIn()
    const landed = await signInVia(stranger(service), 'community')

    assertRefused(right, 'ACCOUNT_SUSPENDED')
    assert.deepEqual([wrong.status, wrong.body], [unknown.status, unknown.body])
    assert.equal(landed, '/sign-in?error=account_suspended')
  })

  it('writes one line to the log at a sign-in', async ({ service, ann, suspend }) => {
    await suspend(ann)

    await inNewBrowser(service, ann).signIn()

    const lines = service.log.lines.filter(
      ({ level, fields }) => level !== 'debug' && fields.code === 'ACCOUNT_SUSPENDED',
    )
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['warn', 'sign-in failed']],
    )
  })

  it('lasts until restore_user; what it ended stays ended', async ({ service, administrator, ann, suspend }) => {
    const { id } = ann
    await suspend(ann)
    await resetByCode(service, ann)

    const suspended = await ann.signIn()
    const reason = 'It was somebody else.'
    const restored = await administrator.post('/api/admin/restore_user', { id, reason })
    const again = await administrator.post('/api/admin/restore_user', { id })

    assertRefused(suspended, 'ACCOUNT_SUSPENDED')
    assert.deepEqual(statuses([restored, again]), [200, 200])
    assert.equal(await whoIs(ann), undefined)
    assert.equal((await ann.signIn()).status, 200)
    const entries = await administrator.post('/api/admin/list_audit_entries', { subject_id: id })
    assert.deepEqual(eachOf(entries, 'action'), ['user.restore', 'user.sign_in_refused', 'user.suspend'])
    const reasons = eachOf(entries, 'details').map((details) => details.reason)
    assert.deepEqual(reasons, [reason, undefined, 'Sent spam.'])
  })

  it('leaves no session from a simultaneous sign-in', async ({ service, ann, suspend }) => {
    const browsers = Array.from({ length: 20 }, () => inNewBrowser(service, ann))
    const thieves = Array.from({ length: 4 }, () => new Person(service, ann.email, 'not the password'))

    const [early, guesses, , late] = await Promise.all([
      Promise.all(browsers.slice(0, 15).map((browser) => browser.signIn())),
      Promise.all(thieves.map((thief) => thief.signIn())),
      suspend(ann),
      Promise.all(browsers.slice(15).map((browser) => browser.signIn())),
    ])

    for (const answer of [...early, ...late]) if (answer.status !== 200) assertRefused(answer, 'ACCOUNT_SUSPENDED')
    for (const guess of guesses) assertRefused(guess, 'INVALID_EMAIL_OR_PASSWORD')
    assertRefused(await inNewBrowser(service, ann).signIn(), 'ACCOUNT_SUSPENDED')
    for (const browser of browsers) assert.equal(await whoIs(browser), undefined)
  })

  it('is refused for the administrator, for an unknown user, and without a reason', async ({ administrator, ann }) => {
    const answers = []
    for (const [id, reason] of [
      [administrator.id, 'Tired.'],
      ['nobody', 'Unknown.'],
      [ann.id, ' '],
    ])
      answers.push(await administrator.post('/api/admin/suspend_user', { id, reason }))

    assert.deepEqual(answers.map(refusal), [
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [400, 'INVALID_REQUEST'],
    ])
    assert.equal((await whoIs(ann)).id, ann.id)
  })
})
