import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { useAct } from '../../server/act.ts'
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

/** Above a list: the actions for all selected rows. */
export function BulkBar<Row extends object>({ selection, acts, moreActs, name }: Props<Row>) {
  const { lists } = useTexts()
  const all = useId()
  const { chosen, isWhole, chooseAll } = selection
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2 text-small">
      <span className="flex items-center gap-2">
        <input
          id={all}
          type="checkbox"
          checked={isWhole}
          onChange={({ target }) => chooseAll(target.checked)}
          className="size-5 accent-(--color-accent)"
        />
        <label htmlFor={all}>{lists.chooseAll}</label>
      </span>
      <span role="status" className="text-ink-soft empty:hidden">
        {chosen.length > 0 && lists.chosen(chosen.length)}
      </span>
      {acts
        .filter(({ isFor = () => true }) => chosen.some(isFor))
        .map((act) => (
          <Bulk key={act.label} bulk={act} selection={selection} />
        ))}
      {chosen.length > 0 && (
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
