import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { beginLink, consent } from '../../providers/journey.ts'
import { Person } from '../../service/people.ts'
import { assertNoFault, lineUp, NEW_PASSWORD, ORDERS, worldWithForum } from '../support/races.ts'

for (const order of ORDERS) {
  describe(`${order} in the queue for the user’s row`, () => {
    it('checklist 67: a link on its way is gone after the first proof', async () => {
      await using w = await worldWithForum('eve')
      const { service, ann: attacker } = w
      const owner = new Person(service, attacker.email, NEW_PASSWORD)
      const callback = await consent(await beginLink(attacker, 'community'))
      const sent = { email: owner.email, type: 'email-verification' }
      await owner.post('/api/auth/email-otp/send-verification-otp', sent)
      const otp = await service.mail.codeFor(owner.email)

      const answers = await lineUp(
        service,
        attacker,
        order,
        () => attacker.get(callback),
        () => owner.post('/api/auth/email-otp/verify-email', { email: owner.email, otp }),
      )

      assertNoFault(answers)
      const rows = await service.platform.meta.primary.selectFrom('account').select('provider').execute()
      assert.equal(rows.filter(({ provider }) => provider === 'community').length, 0)
    })
  })
}
