import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../ui/dialogs/form-act.tsx'

interface Props {
  readonly id: string
  readonly isSuspended: boolean
  readonly words: { readonly title: ReactNode; readonly text: string; readonly restore: string }
  readonly refreshes: readonly QueryKey[]
  suspend(reason: string): Promise<unknown>
  restore(): Promise<unknown>
}

/** Suspends a user or an organisation for a reason, or restores them. */
export function Suspension({ id, isSuspended, words, refreshes, suspend, restore }: Props) {
  const texts = useTexts()
  const { people } = texts
  if (isSuspended)
    return (
      <ConfirmedAct
        look="quiet"
        label={people.restore}
        asks="restore"
        title={people.restore}
        text={words.restore}
        act={restore}
        done={people.restored}
        refreshes={refreshes}
      />
    )
  return (
    <FormAct
      label={people.suspend}
      asks="suspend"
      title={words.title}
      text={words.text}
      action={people.suspend}
      schema={z.object({ reason: fieldsOf(texts).required })}
      initial={{ reason: '' }}
      draft={`suspend:${id}`}
      act={({ reason }) => suspend(reason)}
      done={people.suspended}
      refreshes={refreshes}
    >
      {(form) => <TextField {...form.field('reason')} label={people.suspendReason} maxLength={500} autoFocus />}
    </FormAct>
  )
}
