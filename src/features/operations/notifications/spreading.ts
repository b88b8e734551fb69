import type { NotificationsTable } from '../../../database/schema/operations.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { decide } from '../../ground/acts/acts.ts'
import { nextPeople } from '../../people/users/audience.ts'
import { announce } from './announcements/store.ts'
import { audienceOf } from './audience.ts'
import { factsOf, HELD_JOB, whenDue } from './publishing.ts'
import * as store from './publishing-store.ts'

const PEOPLE_AT_ONCE = 100

/** Publishes what waited for its time, and gives each person of an audience a row. */
export function heldNotificationsJob(platform: Platform): Job {
  return {
    name: HELD_JOB,
    everySeconds: 5,
    atStart: true,
    async run() {
      const { meta, now, ending } = platform
      while (!ending.aborted && (await store.isHeld(meta, now()))) {
        if (!(await publishOne(platform)) && !(await spreadSome(platform))) return
      }
    },
  }
}

/** Returns false if none is due. */
async function publishOne(platform: Platform): Promise<boolean> {
  const { meta, now } = platform
  return decide({ platform }, [store.lockedDue(meta, now())], async (act, [due]) => {
    if (!due) return false
    const columns = whenDue(due, now())
    act.write(store.update(meta, due.id, columns))
    if (columns.held !== null) return true
    if (due.also_email === 1) act.write(announce(meta, due.id))
    act.record('notification.published', factsOf(due))
    return true
  })
}

/** Rows and progress are written in one commit, so after a stop at any line each person has one row. */
async function spreadSome(platform: Platform): Promise<boolean> {
  const { meta } = platform
  const waiting = await store.spreading(meta.primary).executeTakeFirst()
  if (!waiting) return false
  const conditions = await audienceOf(meta, waiting)
  return decide({ platform }, [store.lockedSpreading(meta)], async (act, [parent]) => {
    if (parent?.id !== waiting.id || parent.after_user_id === null) return parent !== undefined
    const [people] = await act.read([nextPeople(meta, conditions, parent.after_user_id, PEOPLE_AT_ONCE)])
    const ids = people.map(({ id }) => id)
    const [known] = await act.read([store.peopleWithRow(meta, parent.id, ids)])
    const having = new Set(known.map(({ target_user_id }) => target_user_id))
    const rows = ids.filter((id) => !having.has(id)).map((id) => rowFor(parent, id))
    if (rows.length > 0) act.write(store.insertRows(meta, rows))
    for (const row of rows) {
      if (row.also_email === 1) act.write(announce(meta, row.id))
      act.record('notification.published', factsOf(row))
    }
    const last = ids.length < PEOPLE_AT_ONCE ? null : (ids.at(-1) ?? null)
    act.write(store.update(meta, parent.id, { after_user_id: last, reached: (parent.reached ?? 0) + rows.length }))
    return true
  })
}

function rowFor(parent: NotificationsTable, userId: string): NotificationsTable {
  const own = { id: newId(), target_user_id: userId, parent_id: parent.id, audience: null, reached: null }
  return { ...parent, ...own, held: null, archived_at: null, after_user_id: null, publish_at: null }
}
