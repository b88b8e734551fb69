import { rawRequest } from '../../load/load.ts'
import { atLeast, atMost, compare, figureOf, type Measure, perCoreSecond, pick, round } from '../../load/measure.ts'
import {
  administratorToken,
  type Folder,
  insertPeople,
  jsonCall,
  preparedFolder,
  sessionToken,
  startBare,
  startHandWritten,
  startOurs,
  startPlainLists,
  userId,
} from '../../ours.ts'
import { insertNotifications } from '../../rows/notification-rows.ts'
import type { Server } from '../../server.ts'
import { assertSameBody } from '../same-response.ts'

const PATH = '/api/list_notifications'
const PEOPLE = 1_000
const WHO_HAVE_READ_HALF = 50
const READS_BETWEEN_WRITES = 100

export const measure: Measure = {
  title: `POST ${PATH}: ${PEOPLE} people, while notifications are published`,
  async run(bench) {
    await using few = await preparedFolder()
    insertPeople(few, PEOPLE)
    insertNotifications(few, 1_000, 0)
    await using many = await preparedFolder()
    insertPeople(many, PEOPLE)
    insertNotifications(many, 10_000, WHO_HAVE_READ_HALF)

    await using ours = await startOurs(few)
    await using oursOnMany = await startOurs(many)
    await using plain = await startPlainLists(many)
    await using handWritten = await startHandWritten(few)
    await using hono = await startBare('bare-hono')

    await assertSamePage(ours, handWritten)

    const json = { 'content-type': 'application/json' }
    const results = await compare(bench, [
      {
        name: 'page of 1,000',
        server: ours,
        load: { connections: 32, requests: whilePublishing(few, PEOPLE, {}) },
      },
      {
        name: 'page, written by hand',
        server: handWritten,
        load: {
          connections: 32,
          requests: Array.from({ length: PEOPLE }, (_, i) => jsonCall('/notifications', sessionToken(i), {})),
        },
      },
      {
        name: 'bare Hono',
        server: hono,
        load: { connections: 32, requests: [rawRequest('POST', '/', json, '{}')] },
      },
      {
        name: 'unread of 10,000',
        server: oursOnMany,
        load: { connections: 1, requests: whilePublishing(many, WHO_HAVE_READ_HALF, { read: false }) },
      },
      {
        name: 'unread, the plain way',
        server: plain,
        load: { connections: 1, requests: plainRequests(json) },
      },
    ])
    const perSecond = (name: string) => perCoreSecond(results, name)
    const filtered = pick(results, 'unread of 10,000')
    return {
      ratios: [
        atLeast('a page against bare Hono', round(perSecond('page of 1,000') / perSecond('bare Hono')), 0.15),
        atLeast(
          'a page against the same written by hand, where nothing is published',
          round(perSecond('page of 1,000') / perSecond('page, written by hand')),
          0.5,
        ),
        atLeast(
          'unread against the plain way',
          round(perSecond('unread of 10,000') / perSecond('unread, the plain way')),
          50,
        ),
        atMost('unread, median', round(filtered.medianMilliseconds), 5, 'ms'),
      ],
      figures: [...results.values()].map(figureOf),
    }
  },
}

async function assertSamePage(ours: Server, handWritten: Server): Promise<void> {
  const headers = { authorization: `Bearer ${sessionToken(0)}`, 'content-type': 'application/json' }
  const page = { server: ours, path: PATH, headers, body: '{}' }
  await assertSameBody(page, { ...page, server: handWritten, path: '/notifications' })
}

/** Each person in turn; after every hundred requests the administrator publishes something for everyone. */
function whilePublishing(folder: Folder, people: number, filter: object): string[] {
  const published = { title: 'Something new', content: 'Published while everyone is reading.' }
  const publish = jsonCall('/api/admin/create_notification', administratorToken(folder), published)
  const reads = Array.from({ length: PEOPLE }, (_, i) => jsonCall(PATH, sessionToken(i % people), filter))
  return reads.flatMap((read, i) => (i % READS_BETWEEN_WRITES === 0 ? [publish, read] : [read]))
}

function plainRequests(headers: Readonly<Record<string, string>>): string[] {
  return Array.from({ length: WHO_HAVE_READ_HALF }, (_, i) =>
    rawRequest('POST', '/notifications', headers, JSON.stringify({ user_id: userId(i), read: false })),
  )
}
