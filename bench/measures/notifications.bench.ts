import { v7 as newId } from 'uuid'
import { atMost, compare, figureOf, type Measure, pick, round } from '../load/measure.ts'
import {
  administratorToken,
  type Folder,
  insertPeople,
  insertRows,
  jsonCall,
  preparedFolder,
  sessionToken,
  startOurs,
  userId,
} from '../ours.ts'

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

    const results = await compare(bench, [
      {
        name: 'page of 1,000',
        server: ours,
        load: { connections: 32, requests: whilePublishing(few, PEOPLE, {}) },
      },
      {
        name: 'unread of 10,000',
        server: oursOnMany,
        load: { connections: 1, requests: whilePublishing(many, WHO_HAVE_READ_HALF, { read: false }) },
      },
    ])
    const filtered = pick(results, 'unread of 10,000')
    return {
      ratios: [atMost('unread, median', round(filtered.medianMilliseconds), 10, 'ms')],
      figures: [...results.values()].map(figureOf),
    }
  },
}

/** Each person in turn; after every hundred requests the administrator publishes something for everyone. */
function whilePublishing(folder: Folder, people: number, filter: object): string[] {
  const published = { title: 'Something new', content: 'Published while everyone is reading.' }
  const publish = jsonCall('/api/admin/create_notification', administratorToken(folder), published)
  const reads = Array.from({ length: PEOPLE }, (_, i) => jsonCall(PATH, sessionToken(i % people), filter))
  return reads.flatMap((read, i) => (i % READS_BETWEEN_WRITES === 0 ? [publish, read] : [read]))
}

/** Visible to everyone; the first `readers` people have read every second one. */
function insertNotifications(folder: Folder, count: number, readers: number): void {
  const times = { created_at: 1_700_000_000_000, updated_at: 1_700_000_000_000 }
  const rows = Array.from({ length: count }, (_, i) => {
    const text = { title: `Notification ${i}`, content: `Something worth knowing, number ${i}` }
    return { id: newId(), type: 'system', ...text, ...times, created_at: times.created_at + i }
  })
  insertRows(folder, 'meta', 'notifications', rows)
  const read = rows.filter((_, i) => i % 2 === 0)
  const marks = Array.from({ length: readers }, (_, reader) =>
    read.map(({ id }) => ({ notification_id: id, user_id: userId(reader) })),
  )
  insertRows(folder, 'apac-1', 'notification_reads', marks.flat())
}
