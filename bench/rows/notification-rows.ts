import { v7 as newId } from 'uuid'
import { Closing, type Folder, userId } from '../ours.ts'

const START = 1_700_000_000_000

/** Visible to everyone; the first `readers` people have read every second one. */
export function insertNotifications(folder: Folder, count: number, readers: number): void {
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
  insertMarks(folder, ids, readers)
}

function insertMarks(folder: Folder, ids: readonly string[], readers: number): void {
  using shard = new Closing(folder.open('apac-1'))
  const mark = shard.prepare('insert into notification_reads (notification_id, user_id) values (?, ?)')
  shard.inOneCommit(() => {
    for (let reader = 0; reader < readers; reader++) {
      for (const [i, id] of ids.entries()) if (i % 2 === 0) mark.run(id, userId(reader))
    }
  })
}
