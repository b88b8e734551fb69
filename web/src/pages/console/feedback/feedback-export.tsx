import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../../csv.ts'
import { saveFile } from '../../../save-file.ts'
import { call, type Input } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import type { FeedbackRow } from '../rows.ts'

type Filter = Input<'/api/admin/list_feedbacks'>

const columns = ['id', 'user_id', 'type', 'status', 'content', 'note', 'created_at'] as const
const pageSize = 100

/** Everything the filters show, page by page, as one file. */
export function FeedbackExport({ filter }: { readonly filter: Filter }) {
  const { inbox } = useTexts()
  const [done, setDone] = useState(0)
  const save = useMutation({
    mutationFn: async () => {
      const rows = await readAll(filter, setDone)
      const cells = rows.map((row) => columns.map((name) => cellOf(row, name)))
      saveFile('feedback.csv', csvOf(columns, cells), 'text/csv')
    },
    onSettled: () => setDone(0),
  })
  return (
    <div className="flex flex-col gap-2">
      <Button isPending={save.isPending} onPress={() => save.mutate()}>
        <Icon name="download" className="size-4" /> {inbox.csv}
      </Button>
      {done > 0 && (
        <p role="status" className="text-[0.8rem] text-ink-soft">
          {inbox.csvProgress(done)}
        </p>
      )}
      <Failure error={save.error} />
    </div>
  )
}

/** Up to the newest row of the first page: what arrives while it reads does not shift the pages. */
async function readAll(filter: Filter, onProgress: (rows: number) => void): Promise<readonly FeedbackRow[]> {
  const rows: FeedbackRow[] = []
  for (let page = 1; ; page++) {
    const newest = rows[0]?.created_at
    const { items, total } = await call('/api/admin/list_feedbacks', {
      ...filter,
      ...(newest !== undefined && { created_at_end: newest }),
      page,
      page_size: pageSize,
    })
    rows.push(...items)
    onProgress(rows.length)
    if (items.length === 0 || rows.length >= total) return rows
  }
}

function cellOf(row: FeedbackRow, name: (typeof columns)[number]): string {
  return name === 'created_at' ? new Date(row.created_at).toISOString() : row[name]
}
