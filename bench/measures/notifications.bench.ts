import { rawRequest } from '../load/load.ts'
import {
  atLeast,
  atMost,
  compare,
  figureOf,
  type Measure,
  perCoreSecond,
  pick,
  round,
} from '../load/measure.ts'
import {
  insertPeople,
  jsonCall,
  preparedFolder,
  sessionToken,
  startBare,
  startOurs,
  startPlainLists,
  userId,
} from '../ours.ts'
import { insertNotifications } from '../rows/notification-rows.ts'

const PATH = '/api/list_notifications'

export const measure: Measure = {
  title: 'POST /api/list_notifications: 20 of 1,000 visible; and unread ones among 10,000',
  async run(bench) {
    await using few = await preparedFolder()
    insertPeople(few, 100)
    insertNotifications(few, 1_000, 'none read')
    await using many = await preparedFolder()
    insertPeople(many, 100)
    insertNotifications(many, 10_000, 'half read')

    await using ours = await startOurs(few)
    await using oursOnMany = await startOurs(many)
    await using plain = await startPlainLists(many)
    await using hono = await startBare('bare-hono')

    const json = { 'content-type': 'application/json' }
    const unread = JSON.stringify({ user_id: userId(0), read: false })
    const standings = await compare(bench, [
      {
        name: 'page of 1,000',
        server: ours,
        load: { connections: 32, requests: [jsonCall(PATH, sessionToken(0), {})] },
      },
      {
        name: 'bare Hono',
        server: hono,
        load: { connections: 32, requests: [rawRequest('POST', '/', json, '{}')] },
      },
      {
        name: 'unread of 10,000',
        server: oursOnMany,
        load: { connections: 1, requests: [jsonCall(PATH, sessionToken(0), { read: false })] },
      },
      {
        name: 'unread, the plain way',
        server: plain,
        load: { connections: 1, requests: [rawRequest('POST', '/notifications', json, unread)] },
      },
    ])
    const perSecond = (name: string) => perCoreSecond(standings, name)
    const filtered = pick(standings, 'unread of 10,000')
    return {
      ratios: [
        atLeast('a page against bare Hono', round(perSecond('page of 1,000') / perSecond('bare Hono')), 0.2),
        atLeast(
          'unread against the plain way',
          round(perSecond('unread of 10,000') / perSecond('unread, the plain way')),
          50,
        ),
        atMost('unread, median', round(filtered.medianMilliseconds), 5, 'ms'),
      ],
      figures: [...standings.values()].map(figureOf),
    }
  },
}
