import { v7 as newId } from 'uuid'
import { jsonRequest } from '../load/load.ts'
import { atMost, compare, figureOf, type Measure, pick, round } from '../load/measure.ts'
import { administratorToken, type Folder, folderOf, insertRows, sessionToken, startOurs, userId } from '../ours.ts'

const PATH = '/api/list_notifications'
const PEOPLE = 1_000
const WHO_HAVE_READ_HALF = 50
const READS_BETWEEN_WRITES = 100
const FILTERED = 'unread of 10,000'

export const measure: Measure = {
  title: `POST ${PATH}: ${PEOPLE} people, while notifications are published`,
  async run(bench) {
    await using few = await folderOf(PEOPLE)
    insertNotifications(few, 1_000, 0)
    await using many = await folderOf(PEOPLE)
    insertNotifications(many, 10_000, WHO_HAVE_READ_HALF)
    await using server = await startOurs(few)
    await using onMany = await startOurs(many)
    const all = { connections: 32, requests: whilePublishing(few, PEOPLE, {}) }
    const unread = { connections: 1, requests: whilePublishing(many, WHO_HAVE_READ_HALF, { read: false }) }
    const results = await compare(bench, [
      { name: 'page of 1,000', server, load: all },
      { name: FILTERED, server: onMany, load: unread },
    ])
    return {
      ratios: [atMost('unread, median', round(pick(results, FILTERED).medianMilliseconds), 10, 'ms')],
      figures: [...results.values()].map(figureOf),
    }
  },
}

/** Each person in turn; after every hundred requests the administrator publishes something for everyone. */
function whilePublishing(folder: Folder, people: number, filter: object): string[] {
  const call = (path: string, token: string, body: object) =>
    jsonRequest(path, body, { authorization: `Bearer ${token}` })
  const published = { title: 'Something new', content: 'Published while everyone is reading.' }
  const publish = call('/api/admin/create_notification', administratorToken(folder), published)
  const reads = Array.from({ length: PEOPLE }, (_, i) => call(PATH, sessionToken(i % people), filter))
  return reads.flatMap((read, i) => (i % READS_BETWEEN_WRITES === 0 ? [publish, read] : [read]))
}

/** Visible to everyone; the first `readers` people have read every second one. */
function insertNotifications(folder: Folder, count: number, readers: number): void {
  const ids = Array.from({ length: count }, () => newId())
  insertRows(folder, 'meta', 'notifications', count, (i) => {
    const text = { title: `Notification ${i}`, content: `Something worth knowing, number ${i}` }
    const times = { created_at: 1_700_000_000_000 + i, updated_at: 1_700_000_000_000 }
    return { id: ids[i] ?? '', type: 'system', ...text, ...times }
  })
  const read = ids.filter((_, i) => i % 2 === 0)
  insertRows(folder, 'apac-1', 'notification_reads', readers * read.length, (i) => {
    return { notification_id: read[i % read.length] ?? '', user_id: userId(Math.floor(i / read.length)) }
  })
}
