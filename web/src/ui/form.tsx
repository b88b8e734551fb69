import type { ComponentProps, ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Card } from './card.tsx'
import { Button, type Look } from './controls/button.tsx'
import { Failure, type FailureWords } from './messages/failure.tsx'

interface Sending {
  readonly props: ComponentProps<'form'>
  readonly isPending: boolean
  /** True while something is typed that is not saved. */
  readonly isChanged?: boolean
  /** A failure that no field shows. */
  readonly failure: Error | null
}

interface Shared {
  readonly form: Sending
  /** The label of its button. */
  readonly submit: string
  readonly look?: Look['look']
  /** More specific words than the catalogue's, by code. */
  readonly words?: FailureWords
  readonly children?: ReactNode
}

interface Props extends Shared {
  readonly className?: string
  /** The button is as wide as the form, at its start, or at its end as in a dialog, where it stays in sight. */
  readonly place?: 'wide' | 'start' | 'end'
  readonly cancel?: string | undefined
  onCancel?(): void
  /** Shown below the button, or beside it. */
  readonly more?: ReactNode
}

const places = {
  wide: 'contents',
  start: 'flex flex-wrap gap-2',
  end: 'sticky -bottom-5 z-10 -mb-5 flex flex-wrap justify-end gap-2 bg-surface pt-3 pb-5 sm:-bottom-6 sm:-mb-6 sm:pb-6',
} as const

/** Fields, what is wrong with all of them together, and the button that sends them. */
export function Form({ form, className = 'gap-5', place = 'wide', ...props }: Props) {
  const { submit, look = 'primary', words = {}, cancel, onCancel, more, children } = props
  const { common } = useTexts()
  return (
    <form {...form.props} className={`flex flex-col ${className}`}>
      {children}
      <Failure error={form.failure} words={words} />
      <div className={places[place]}>
        {onCancel && <Button onPress={onCancel}>{cancel ?? common.cancel}</Button>}
        <Button type="submit" look={look} isPending={form.isPending}>
          {submit}
        </Button>
        {more}
      </div>
    </form>
  )
}

interface CardProps extends Shared {
  readonly title: string
  readonly lead: string
  /** Shown beside the button. */
  readonly more?: ReactNode
}

/** A form as a card of its own, with its button in the foot. */
export function FormCard({ form, submit, look = 'primary', words = {}, title, lead, more, children }: CardProps) {
  const footer = (
    <>
      <Button type="submit" look={look} isPending={form.isPending}>
        {submit}
      </Button>
      {more}
    </>
  )
  return (
    <form {...form.props}>
      <Card title={title} lead={lead} footer={footer} isFootKept={form.isChanged} isSplit>
        <div className="flex max-w-2xl flex-col gap-5">
          {children}
          <Failure error={form.failure} words={words} />
        </div>
      </Card>
    </form>
  )
}
