import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useAct } from '../../server/act.ts'
import { noteWrite } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Button } from '../controls/button.tsx'
import { ConfirmedAct } from '../dialogs/confirmed-act.tsx'
import { Failure } from '../messages/failure.tsx'
import type { Selection } from './use-selection.tsx'

export interface BulkAct<Row> {
  readonly label: string
  /** If it must be confirmed first: the question, and an explanation. */
  readonly question?: { title(count: number): string; readonly text: string }
  /** Without it, all selected rows. */
  isFor?(row: Row): boolean
  /** The message once it is done for all of them. */
  done(count: number): string
  readonly refreshes: readonly QueryKey[]
  act(row: Row): Promise<unknown>
}

interface Props<Row> {
  readonly selection: Selection<Row>
  readonly acts: readonly BulkAct<Row>[]
}

/** Above a list: the actions for all selected rows. */
export function BulkBar<Row>({ selection, acts }: Props<Row>) {
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
          className="size-4 accent-(--color-accent)"
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
    </div>
  )
}

function Bulk<Row>({ bulk, selection }: { readonly bulk: BulkAct<Row>; readonly selection: Selection<Row> }) {
  const { label, question, refreshes, act } = bulk
  const { chooseAll } = selection
  const chosen = selection.chosen.filter((row) => bulk.isFor?.(row) ?? true)
  const queryClient = useQueryClient()
  const runOneByOne = async () => {
    try {
      for (const row of chosen) await act(row)
    } finally {
      noteWrite()
      await Promise.all(refreshes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    }
    chooseAll(false)
    say(bulk.done(chosen.length))
  }
  const running = useAct({ act: runOneByOne })
  if (question) {
    return (
      <ConfirmedAct
        size="small"
        label={label}
        title={question.title(chosen.length)}
        text={question.text}
        act={runOneByOne}
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
