import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { approvedCode, decideDevice, poll, redeem, startDevice } from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import {
  assertNoFault,
  assertNoTokenWorks,
  changePassword,
  deleteUser,
  lineUp,
  NEW_PASSWORD,
  ORDERS,
  world,
} from '../support/races.ts'

for (const order of ORDERS) {
  describe(`${order} in the queue for the user’s row`, () => {
    it('checklist 69: a sign-in with the old password leaves no session after the change', async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)
      const signIn = () => thief.signIn()
      const change = () => changePassword(w.ann)

      const answers = await lineUp(w.service, w.ann, order, signIn, change)

      assertNoFault(answers)
      assert.equal((await thief.get('/api/auth/get-session')).body, null)
      assert.equal((await w.ann.get('/api/auth/get-session')).body.user.id, w.ann.id)
    })

    it('checklist 69: a sign-in with the old password leaves no session after the reset', async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)
      const otp = await resetCodeFor(w.service, w.ann)

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => thief.signIn(),
        () => resetPassword(w.ann, otp),
      )

      assertNoFault(answers)
      assert.equal((await thief.get('/api/auth/get-session')).body, null)
    })

    it('checklist 69: a deletion with the old password is refused after the change', async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)
      await thief.signIn()

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => deleteUser(thief),
        () => changePassword(w.ann),
      )

      assertNoFault(answers)
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    it('checklist 68: an approval leaves no grant after the reset', async () => {
      await using w = await world()
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
      await elsewhere.signIn()
      const device = await startDevice(w.ben, 'account:profile:read')
      const otp = await resetCodeFor(w.service, w.ann)

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => decideDevice(elsewhere, device.body.user_code, true),
        () => resetPassword(w.ann, otp),
      )

      assertNoFault(answers)
      assert.equal((await poll(w.ben, device.body.device_code)).status, 400)
    })

    it('checklist 68: a code that is redeemed leaves no token after the reset', async () => {
      await using w = await world()
      const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])
      const otp = await resetCodeFor(w.service, w.ann)

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => redeem(w.ben, code, verifier),
        () => resetPassword(w.ann, otp),
      )

      assertNoFault(answers)
      await assertNoTokenWorks(answers, w.ben)
    })
  })
}

async function resetCodeFor(service: Service, person: Person): Promise<string> {
  await person.post('/api/auth/email-otp/request-password-reset', { email: person.email })
  return service.mail.codeFor(person.email)
}

function resetPassword(person: Person, otp: string) {
  return person.post('/api/auth/email-otp/reset-password', {
    email: person.email,
    otp,
    password: NEW_PASSWORD,
  })
}
