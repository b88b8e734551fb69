import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { beginLink, consent, linkVia } from '../../providers/journey.ts'
import {
  approvedCode,
  authorizationQuery,
  decideDevice,
  poll,
  redeem,
  startDevice,
} from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import {
  assertNoFault,
  assertNoTokenWorks,
  deleteUser,
  lineUp,
  ORDERS,
  world,
  worldWithForum,
} from '../support/races.ts'

for (const order of ORDERS) {
  describe(`${order} in the queue for the user’s row`, () => {
    it('checklist 84: a token that is issued leaves nothing after the deletion', async () => {
      await using w = await world()
      const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => redeem(w.ben, code, verifier),
        () => deleteUser(w.ann),
      )

      assertNoFault(answers)
      await assertNoTokenWorks(answers, w.ben)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a poll of an approved device leaves nothing after the deletion', async () => {
      await using w = await world()
      const device = await startDevice(w.ann, 'account:profile:read')
      await decideDevice(w.ann, device.body.user_code, true)

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => poll(w.ben, device.body.device_code),
        () => deleteUser(w.ann),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: begin_authorization beside the deletion', async () => {
      await using w = await world()
      const query = authorizationQuery(['account:profile:read'])

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => w.ann.post('/api/oauth/begin_authorization', query),
        () => deleteUser(w.ann),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: an approval beside the deletion', async () => {
      await using w = await world()
      const device = await startDevice(w.ann, 'account:profile:read')

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => decideDevice(w.ann, device.body.user_code, true),
        () => deleteUser(w.ann),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a sign-in beside the deletion', async () => {
      await using w = await world()
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => elsewhere.signIn(),
        () => deleteUser(w.ann),
      )

      assertNoFault(answers)
      assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a new authenticator app beside the deletion', async () => {
      await using w = await world()

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => w.ann.post('/api/auth/two-factor/enable'),
        () => deleteUser(w.ann),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a notification for the user beside the deletion', async () => {
      await using w = await world()
      const notification = { title: 'One', content: 'For Ann.', target_user_id: w.ann.id }

      const answers = await lineUp(
        w.service,
        w.ann,
        order,
        () => w.administrator.post('/api/admin/create_notification', notification),
        () => deleteUser(w.ann),
      )
      const later = await w.administrator.post('/api/admin/create_notification', notification)
      const kept = await w.administrator.post('/api/admin/list_notifications')

      assertNoFault(answers)
      assert.deepEqual(
        [later.status, later.body.code, later.body.issues[0].path],
        [400, 'INVALID_REQUEST', 'target_user_id'],
      )
      assert.equal(kept.body.total, 0)
    })

    it('checklist 84: the end of a link beside the deletion', async () => {
      await using w = await worldWithForum('ann')
      const { service, ann, ben } = w
      const callback = await consent(await beginLink(ann, 'community'))

      const answers = await lineUp(
        service,
        ann,
        order,
        () => ann.get(callback),
        () => deleteUser(ann),
      )

      assertNoFault(answers)
      await assertGone(service, ann.id)
      assert.equal(await linkVia(ben, 'community'), '/')
    })

    it('checklist 84: the beginning of a link beside the deletion', async () => {
      await using w = await worldWithForum('ann')
      const { service, ann } = w

      const answers = await lineUp(
        service,
        ann,
        order,
        () => ann.post('/api/auth/link-social', { provider: 'community' }),
        () => deleteUser(ann),
      )

      assertNoFault(answers)
    })
  })
}

async function assertGone({ platform: { meta } }: Service, userId: string): Promise<void> {
  const tables = ['session', 'account', 'api_grant', 'authorization_request'] as const
  for (const table of tables) {
    const rows = await meta.primary.selectFrom(table).select('id').where('user_id', '=', userId).execute()
    assert.deepEqual([table, rows], [table, []])
  }
  assert.equal(
    await meta.primary.selectFrom('user').select('id').where('id', '=', userId).executeTakeFirst(),
    undefined,
  )
}
