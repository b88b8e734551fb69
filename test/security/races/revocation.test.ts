import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { grantFor, refreshWith, revoke, userBehind } from '../../service/grants.ts'
import { assertNoFault, lineUp, ORDERS, world } from '../support/races.ts'

for (const order of ORDERS) {
  describe(`${order} in the queue for the user’s row`, () => {
    it('checklist 53: a refresh leaves no token after the revocation', async () => {
      await using w = await world()
      const client = await grantFor(w.ann, 'account:profile:read')

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => client.refresh(),
        () => revoke(w.ann, client.tokens.refresh_token),
      )

      assertNoFault(answers)
      for (const { body } of answers) {
        if (body.access_token) assert.equal(await userBehind(w.ben, body.access_token), undefined)
        if (body.refresh_token) assert.equal((await refreshWith(w.ben, body.refresh_token)).status, 400)
      }
    })
  })
}
