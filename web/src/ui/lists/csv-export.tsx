import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../csv.ts'
import { saveFile } from '../../save-file.ts'
import { type Read, wholeList } from '../../server/all-pages.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Icon } from '../icon.tsx'
import { Failure } from '../messages/failure.tsx'

interface Props<Row> {
  /** The name of the file. */
  readonly name: string
  readonly read: Read<Row>
}

/** Spreadsheets otherwise assume the machine's own encoding. */
const byteOrderMark = '\uFEFF'

/** All rows that match the filters, not only the current page, as one file. */
export function CsvExport<Row extends object>({ name, read }: Props<Row>) {
  const { lists } = useTexts()
  const [rows, setRows] = useState(0)
  const save = useMutation({
    mutationFn: async () => {
      const whole = await wholeList(read, setRows)
      saveCsv(name, whole)
    },
    onSettled: () => setRows(0),
  })
  return (
    <div className="flex flex-col gap-2">
      <Button
        size="icon"
        aria-label={lists.csv}
        title={lists.csv}
        isPending={save.isPending}
        onPress={() => save.mutate()}
      >
        <Icon name="download" className="size-4" />
      </Button>
      {rows > 0 && (
        <p role="status" className="text-tiny text-ink-soft">
          {lists.csvProgress(rows)}
        </p>
      )}
      <Failure error={save.error} />
    </div>
  )
}

/** Saves every field of a row that the API returns. */
export function saveCsv(name: string, rows: readonly object[]): void {
  const facts = rows.map((row) => new Map<string, unknown>(Object.entries(row)))
  const columns = [...new Set(facts.flatMap((fact) => [...fact.keys()]))]
  const cells = facts.map((fact) => columns.map((column) => cellOf(column, fact.get(column))))
  saveFile(`${name}.csv`, `${byteOrderMark}${csvOf(columns, cells)}\r\n`, 'text/csv')
}

function cellOf(column: string, value: unknown): string | number {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return column.endsWith('_at') ? new Date(value).toISOString() : value
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
