import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ComponentType, ReactNode } from 'react'
import { useUnsaved } from '../../../forms/unsaved.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { type DocumentOf, type Part, partQuery } from '../queries.ts'

export interface Stored<P extends Part> {
  readonly document: DocumentOf<P>
}

interface StoredPartProps<P extends Part> {
  readonly part: P
  readonly Form: ComponentType<Stored<P>>
}

/** The form of a part once its settings are there. */
export function StoredPart<P extends Part>({ part, Form }: StoredPartProps<P>) {
  return (
    <Loaded<DocumentOf<P>> query={useQuery(partQuery(part))} skeleton={<Skeleton rows={5} />}>
      {(document) => <Form document={document} />}
    </Loaded>
  )
}

interface Saving {
  readonly form: {
    readonly isChanged: boolean
    readonly draft: string | undefined
    readonly failure: Error | null
    readonly props: ComponentProps<'form'>
  }
  readonly save: { readonly isPending: boolean }
  readonly isConflict: boolean
  readonly elsewhere: string
  reload(): Promise<void>
  discard(): void
}

interface Props {
  readonly title: string
  readonly lead: string
  readonly part: Saving
  /** What the button says. */
  readonly save?: string | undefined
  readonly children: ReactNode
}

/** A part of the settings with its own save button; a conflict has its own message. */
export function PartCard({ title, lead, part, save: words, children }: Props) {
  const { common, config } = useTexts()
  const { form, save, isConflict, elsewhere, reload, discard } = part
  const refusals = elsewhere ? { INVALID_REQUEST: elsewhere } : {}
  useUnsaved(form)
  return (
    <form {...form.props}>
      <Card
        title={title}
        lead={lead}
        footer={
          <>
            <Button type="submit" look="primary" isPending={save.isPending}>
              {words ?? common.save}
            </Button>
            {form.isChanged && <Button onPress={discard}>{config.discard}</Button>}
          </>
        }
      >
        <div className="flex max-w-2xl flex-col gap-6">
          {children}
          {isConflict ? <Conflict onReload={reload} /> : <Failure error={form.failure} words={refusals} />}
        </div>
      </Card>
    </form>
  )
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
