import assert from 'node:assert/strict'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { insertActs, KEPT_ACTS } from './store.ts'

it('a call whose random id ends in zeros drops the calls behind the newest thousand of its connection', async ({
  service,
  ann,
}) => {
  await grantFor(ann, 'account:profile:read')
  const [{ id: grant_id }] = (await ann.post('/api/list_grants')).body.items
  const { meta } = service.platform
  const insert = (from: number, to: number, end: string) =>
    insertActs(
      meta,
      Array.from({ length: to - from }, (_, i) => ({
        ...{ id: `${String(from + i).padStart(8, '0')}-${end}`, grant_id, path: '/api/list_grants', status: 200 },
        ...{ ip: null, approval_id: null, actor_id: null, code: null, created_at: 0 },
      })),
    )
  const stored = async () =>
    (await meta.selectFrom('grant_act').select('id').orderBy('id').execute()).map(({ id }) => id)
  const unnoticed = await insert(0, KEPT_ACTS + 10, 'ffff')
  const before = await stored()
  const dropped = await insert(KEPT_ACTS + 10, KEPT_ACTS + 11, '0000')
  const after = await stored()

  assert.deepEqual([unnoticed.length, before.length], [0, KEPT_ACTS + 10])
  assert.deepEqual(
    [dropped.length, after],
    [11, [...before, `${String(KEPT_ACTS + 10).padStart(8, '0')}-0000`].slice(11)],
  )
})
