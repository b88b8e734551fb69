import { v7 as newId } from 'uuid'
import { Closing, type Folder, userId } from '../ours.ts'

const START = 1_700_000_000_000

/** Visible to everybody; the first person has read every second one, if any. */
export function insertNotifications(folder: Folder, count: number, marks: 'none read' | 'half read'): void {
  using meta = new Closing(folder.open('meta'))
  const row = meta.prepare(
    `insert into notifications (id, type, title, content, target_user_id, created_at, updated_at)
     values (?, 'system', ?, ?, null, ?, ?)`,
  )
  const ids: string[] = []
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) {
      const id = newId()
      ids.push(id)
      row.run(id, `Notification ${i}`, `Something worth knowing, number ${i}`, START + i, START + i)
    }
  })
  if (marks === 'half read') insertMarks(folder, ids)
}

function insertMarks(folder: Folder, ids: readonly string[]): void {
  using shard = new Closing(folder.open('apac-1'))
  const mark = shard.prepare('insert into notification_reads (notification_id, user_id) values (?, ?)')
  shard.inOneCommit(() => {
    for (const [i, id] of ids.entries()) if (i % 2 === 0) mark.run(id, userId(0))
  })
}
