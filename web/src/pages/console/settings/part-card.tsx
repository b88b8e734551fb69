import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { FormCard } from '../../../ui/form.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { type DocumentOf, type Part, partQuery } from '../queries.ts'

export interface Stored<P extends Part> {
  readonly document: DocumentOf<P>
}

interface StoredPartProps<P extends Part> {
  readonly part: P
  readonly children: (document: DocumentOf<P>) => ReactNode
}

/** The form of a part once its settings are there. */
export function StoredPart<P extends Part>({ part, children }: StoredPartProps<P>) {
  return (
    <Loaded<DocumentOf<P>> query={useQuery(partQuery(part))} skeleton={<Skeleton rows={5} />}>
      {children}
    </Loaded>
  )
}

interface Saving extends Pick<ComponentProps<typeof FormCard>, 'form'> {
  readonly form: ComponentProps<typeof FormCard>['form'] & { readonly isChanged: boolean }
  readonly isConflict: boolean
  readonly elsewhere: string
  reload(): Promise<void>
  discard(): void
}

interface Props {
  readonly title: string
  readonly lead: string
  readonly part: Saving
  /** The label of the button. */
  readonly save?: string | undefined
  readonly children: ReactNode
}

/** A part of the settings with its own save button; a conflict has its own message. */
export function PartCard({ title, lead, part, save, children }: Props) {
  const { common, unsaved } = useTexts()
  const { form, isConflict, elsewhere, reload, discard } = part
  return (
    <FormCard
      form={isConflict ? { ...form, failure: null } : form}
      title={title}
      lead={lead}
      submit={save ?? common.save}
      words={elsewhere ? { INVALID_REQUEST: elsewhere } : {}}
      more={form.isChanged && <Button onPress={discard}>{unsaved.discard}</Button>}
    >
      {children}
      {isConflict && <Conflict onReload={reload} />}
    </FormCard>
  )
}

interface ConflictProps {
  readonly title?: string
  onReload(): unknown
}

export function Conflict({ title, onReload }: ConflictProps) {
  const { config } = useTexts()
  return (
    <Notice
      look="warning"
      title={title ?? config.conflictTitle}
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
