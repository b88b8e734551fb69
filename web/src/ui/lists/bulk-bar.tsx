import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAct } from '../../server/act.ts'
import { type Read, wholeList } from '../../server/all-pages.ts'
import { noteWrite } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Button } from '../controls/button.tsx'
import { ConfirmedAct } from '../dialogs/confirmed-act.tsx'
import { Failure } from '../messages/failure.tsx'
import { saveCsv } from './csv-export.tsx'
import { isGone } from './loaded.tsx'
import type { Selection } from './use-selection.tsx'

export interface BulkAct<Row> {
  readonly label: string
  /** If it must be confirmed first: the question, and an explanation. */
  readonly question?: { title(count: number): string; readonly text: string; readonly look?: 'quiet' }
  /** The rows it applies to; without it, all selected rows. */
  isFor?(row: Row): boolean
  /** The message once it is done for all of them. */
  done(count: number): string
  readonly refreshes: readonly QueryKey[]
  act(row: Row): Promise<unknown>
}

interface Props<Row> {
  readonly selection: Selection<Row>
  readonly acts: readonly BulkAct<Row>[]
  /** Acts that ask for input first. */
  moreActs?(selection: Selection<Row>): ReactNode
  /** The name of the file. */
  readonly name: string
  /** The number of rows that match the filters. */
  readonly total: number
  readonly read: Read<Row>
}

/**
 * Acts row by row; if one fails, those before it are no longer selected, so that a retry does not repeat them. Nor is a
 * row that no longer exists.
 */
export function useRowByRow<Row>({ drop }: Selection<Row>, refreshes: readonly QueryKey[]) {
  const queryClient = useQueryClient()
  return async (rows: readonly Row[], act: (row: Row) => Promise<unknown>) => {
    const done: Row[] = []
    try {
      for (const row of rows) {
        await act(row).catch((error: unknown) => {
          if (isGone(error)) done.push(row)
          throw error
        })
        done.push(row)
      }
    } finally {
      drop(done)
      noteWrite()
      await Promise.all(refreshes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    }
  }
}

/** The acts for all selected rows; it lies over the end of the list, so that choosing moves nothing. */
export function BulkBar<Row extends object>({ selection, acts, moreActs, name, total, read }: Props<Row>) {
  const { lists } = useTexts()
  const { chosen, isWhole } = selection
  const isAny = chosen.length > 0
  return (
    <div className={isAny ? bar : 'sr-only'}>
      <span role="status" className="text-ink-soft">
        {isAny && lists.chosen(chosen.length)}
      </span>
      {isWhole && chosen.length < total && <ChooseMatches {...{ selection, total, read }} />}
      {acts
        .filter(({ isFor = () => true }) => chosen.some(isFor))
        .map((act) => (
          <Bulk key={act.label} bulk={act} selection={selection} />
        ))}
      {isAny && (
        <>
          {moreActs?.(selection)}
          <Button size="small" onPress={() => saveCsv(name, chosen)}>
            {lists.exportChosen}
          </Button>
        </>
      )}
    </div>
  )
}

const bar =
  'sticky bottom-3 z-20 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line-strong bg-raised px-4 py-2.5 text-small shadow-lg'

/** The rows of the other pages too. */
function ChooseMatches<Row extends object>({
  selection,
  total,
  read,
}: Pick<Props<Row>, 'selection' | 'total' | 'read'>) {
  const { lists } = useTexts()
  const whole = useMutation({
    mutationFn: async () => selection.choose(await wholeList(read, () => undefined)),
  })
  return (
    <>
      <Button size="small" isPending={whole.isPending} onPress={() => whole.mutate()}>
        {lists.chooseMatches(total)}
      </Button>
      <Failure error={whole.error} />
    </>
  )
}

function Bulk<Row>({ bulk, selection }: { readonly bulk: BulkAct<Row>; readonly selection: Selection<Row> }) {
  const { label, question, refreshes, act } = bulk
  const runRowByRow = useRowByRow(selection, refreshes)
  const chosen = selection.chosen.filter((row) => bulk.isFor?.(row) ?? true)
  const run = async () => {
    await runRowByRow(chosen, act)
    say(bulk.done(chosen.length))
  }
  const running = useAct({ act: run })
  if (question) {
    return (
      <ConfirmedAct
        size="small"
        look={question.look}
        label={label}
        title={question.title(chosen.length)}
        text={question.text}
        act={run}
      />
    )
  }
  return (
    <>
      <Button size="small" isPending={running.isPending} onPress={() => running.mutate()}>
        {label}
      </Button>
      <Failure error={running.error} />
    </>
  )
}
