import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { noteAct } from './admission.ts'

it('the list of calls is returned while a connection makes calls without a pause', async ({ service, ann }) => {
  await grantFor(ann, 'account:profile:read')
  const [{ id: grant_id }] = (await ann.post('/api/list_grants')).body.items
  const call = { grant_id, path: '/api/get_account', approval_id: null, actor_id: null, status: 200, code: null }
  const sender = { requestId: 'call', address: '127.0.0.1', userAgent: '', continent: undefined }
  let noted = 0
  const note = () => {
    noteAct(service.platform, call, sender)
    noted++
  }
  let isListed = false
  const calling = (async () => {
    for (; !isListed; await nextTurn()) note()
  })()

  for (let i = 0; i < 5; i++) note()
  const { body } = await ann.post('/api/list_grant_acts', { id: grant_id }).finally(() => {
    isListed = true
  })
  await calling

  assert.ok(body.total >= 5 && body.total <= noted, `${body.total} of ${noted}`)
})
