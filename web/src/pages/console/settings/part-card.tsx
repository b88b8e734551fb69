import type { UseQueryResult } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { useUnsaved } from '../../../forms/unsaved.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { say } from '../../../toasts.ts'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Reasons } from '../../../ui/messages/reasons.tsx'

interface Saving {
  readonly hasChanges: boolean
  readonly draft: string
  readonly isConflict: boolean
  readonly save: {
    readonly isPending: boolean
    readonly error: Error | null
    mutate(_: undefined, options: { onSuccess(): void }): void
  }
  reload(): Promise<void>
  discard(): void
}

interface Props {
  readonly title: string
  readonly lead: string
  readonly part: Saving
  readonly children: ReactNode
}

/** A part of the settings with its own save button; a conflict has its own message. */
export function PartCard({ title, lead, part, children }: Props) {
  const { common, config } = useTexts()
  useUnsaved({ isChanged: part.hasChanges, draft: part.draft })
  const send = (event: FormEvent) => {
    event.preventDefault()
    part.save.mutate(undefined, { onSuccess: () => say(config.saved) })
  }
  return (
    <form noValidate onSubmit={send}>
      <Card
        title={title}
        lead={lead}
        footer={
          <>
            <Button
              type="submit"
              look="primary"
              isPending={part.save.isPending}
              isDisabled={!part.hasChanges}
            >
              {common.save}
            </Button>
            {part.hasChanges && <Button onPress={part.discard}>{config.discard}</Button>}
          </>
        }
      >
        <div className="flex max-w-2xl flex-col gap-6">
          {children}
          {part.isConflict ? <Conflict onReload={part.reload} /> : <Reasons error={part.save.error} />}
        </div>
      </Card>
    </form>
  )
}

/** Until the settings are there, or if they cannot be read. */
export function PartLoading({ part: { stored } }: { readonly part: { readonly stored: UseQueryResult } }) {
  return stored.error ? <LoadFailure query={stored} /> : <Skeleton rows={5} />
}

function Conflict({ onReload }: { onReload(): Promise<void> }) {
  const { config } = useTexts()
  return (
    <Notice
      look="warning"
      title={config.conflictTitle}
      action={
        <Button size="small" onPress={onReload}>
          {config.conflictAction}
        </Button>
      }
    >
      {config.conflictText}
    </Notice>
  )
}
