import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { eachOf } from '../../../../test/service/answers.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { people } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import type { EventType } from '../../../rules/event-types.ts'

const FOR_PRODUCTS: readonly EventType[] = ['feedback.created', 'settings.saved']
const FOR_THE_LOG = ['beta_codes.generate', 'settings.update']

/** Writes a row for products, one for the audit log, and one that both show, whose id it returns. */
async function happen(service: Service): Promise<string> {
  const { administrator, ann } = await people(service)
  await submitted(ann)
  await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
  await administrator.saveSettings('credits', { signup_reward_amount: 7 })
  await service.runJob('events')
  const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'settings.update' })
  return body.items[0].id
}

/** What each view shows after both sweeps, and what is stored of the row that both show. */
async function afterSweeps(service: Service, idOfBoth: string) {
  await service.runJob('audit-sweep')
  await service.runJob('event-sweep')
  const { administrator } = await people(service)
  const log = await administrator.post('/api/admin/list_audit_entries', { page_size: 100 })
  const events = await administrator.post('/api/admin/list_events', { types: FOR_PRODUCTS })
  const ofBoth = service.platform.meta.selectFrom('event').selectAll().where('id', '=', idOfBoth)
  const row = await ofBoth.executeTakeFirst()
  return {
    log: FOR_THE_LOG.filter((action) => eachOf(log, 'action').includes(action)),
    events: eachOf(events, 'type'),
    ofTheLog: row && [row.action !== '', row.actor_id !== null, row.details !== '{}'],
    ofProducts: row && [row.type !== null, row.data !== null, row.position !== null],
  }
}

const KEPT = [true, true, true]
const GONE = [false, false, false]
const ALL = { log: FOR_THE_LOG, events: FOR_PRODUCTS, ofTheLog: KEPT, ofProducts: KEPT }
const LOG_ONLY = { ...ALL, events: [], ofProducts: GONE }
const EVENTS_ONLY = { ...ALL, log: [], ofTheLog: GONE }
const NOTHING = { log: [], events: [], ofTheLog: undefined, ofProducts: undefined }

describe('audit log and events, two views of the same rows', () => {
  for (const { audit, event, between } of [
    { audit: '40', event: '20', between: LOG_ONLY },
    { audit: '20', event: '40', between: EVENTS_ONLY },
  ])
    it(`each keep a row for their own time: ${audit} days in the log, ${event} for products`, async () => {
      await using service = await startService({
        env: { AUDIT_RETENTION_DAYS: audit, EVENT_RETENTION_DAYS: event },
      })
      const both = await happen(service)

      for (const [passed, left] of [
        [{ days: 19, hours: 23 }, ALL],
        [{ hours: 2 }, between],
        [{ days: 19, hours: 22 }, between],
        [{ hours: 2 }, NOTHING],
      ] as const) {
        service.clock.advance(passed)
        assert.deepEqual(await afterSweeps(service, both), left)
      }
    })

  for (const sweeps of [
    ['event-sweep', 'audit-sweep'],
    ['audit-sweep', 'event-sweep'],
  ])
    it(`leave nothing of a row whose time ends in both at the same moment, first in the ${sweeps[0]}`, async () => {
      await using service = await startService({
        env: { AUDIT_RETENTION_DAYS: '20', EVENT_RETENTION_DAYS: '20' },
        open: openPatiently,
      })
      const both = await happen(service)
      service.clock.advance({ days: 21 })

      const held = { sql: 'select from event where id = $1 for update', values: [both] }
      const acts = sweeps.map((sweep) => () => service.runJob(sweep))
      await whileHeld(service, held, acts)
      const { ofTheLog, ofProducts } = await afterSweeps(service, both)

      assert.deepEqual([ofTheLog, ofProducts], [undefined, undefined])
    })
})
