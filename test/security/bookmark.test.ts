import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'

// That a lagging replica never shows the past is tested with real ones in test/faults.
describe('65. a bookmark', () => {
  it('from a write shows that write to the next read', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)

    for (let i = 1; i <= 20; i += 1) {
      const written = await administrator.post('/api/admin/create_notification', {
        title: `${i}`,
        content: 'New.',
      })
      const bookmark = written.headers.get('x-db-meta-bookmark') ?? ''
      const { body } = await ann.post('/api/list_notifications', {}, { 'x-db-meta-bookmark': bookmark })
      assert.equal(body.items[0].title, String(i))
    }
  })

  for (const bookmark of [
    'first-primary',
    'garbage',
    'meta=',
    'meta=999999999999999',
    '99999999-FFFFFFFF/FFFFFFFF',
    'meta=1~apac-1=1~weur-1=1',
    '../../etc/passwd',
    "' or 1=1 --",
    'x'.repeat(8_000),
  ]) {
    it(`${bookmark.slice(0, 40)} gives the newest state and a sound bookmark`, async () => {
      await using service = await startService()
      const { administrator, ann } = await people(service)
      await administrator.post('/api/admin/create_notification', { title: 'One', content: 'New.' })

      for (const headers of [
        { 'x-db-meta-bookmark': bookmark },
        { cookie: `db_meta_bookmark=${encodeURIComponent(bookmark)}` },
      ]) {
        const bearer = { authorization: `Bearer ${ann.token}`, ...headers }
        const { status, body, headers: answered } = await ann.post('/api/list_notifications', {}, bearer)
        assert.deepEqual([status, body.total], [200, 1])
        assert.notEqual(answered.get('x-db-meta-bookmark'), bookmark === 'first-primary' ? '' : bookmark)
      }
    })
  }
})
