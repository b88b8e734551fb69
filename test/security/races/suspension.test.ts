import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { approvedCode, redeem } from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import { assertNoFault, assertNoTokenWorks, deleteUser, lineUp, ORDERS, world } from '../support/races.ts'

for (const order of ORDERS) {
  describe(`${order} in the queue for the user’s row`, () => {
    it('a deletion is refused after the suspension', async () => {
      await using w = await world()

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => deleteUser(w.ann),
        () => suspend(w.administrator, w.ann),
      )

      assertNoFault(answers)
      if (order === 'second') assert.equal(answers[1]?.status, 401)
    })

    it('a sign-in leaves no session after the suspension', async () => {
      await using w = await world()
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => elsewhere.signIn(),
        () => suspend(w.administrator, w.ann),
      )

      assertNoFault(answers)
      assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
    })

    it('a code that is redeemed leaves no token after the suspension', async () => {
      await using w = await world()
      const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => redeem(w.ben, code, verifier),
        () => suspend(w.administrator, w.ann),
      )

      assertNoFault(answers)
      await assertNoTokenWorks(answers, w.ben)
    })
  })
}

function suspend(administrator: Person, person: Person) {
  return administrator.post('/api/admin/suspend_user', { id: person.id, reason: 'Sent spam.' })
}
