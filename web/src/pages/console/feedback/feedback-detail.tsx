import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useChoice } from '../../../server/choice.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { PersonProse, PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Form } from '../../../ui/form.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { useShortcuts } from '../../../ui/shortcuts.ts'
import { consoleKeys } from '../queries.ts'
import type { FeedbackRow } from '../rows.ts'
import { useAddressOf } from '../users/person.ts'
import { Reply, useResolve } from './feedback-reply.tsx'

interface Props {
  readonly row: FeedbackRow
  /** Undefined at the ends of the page. */
  readonly previous: (() => void) | undefined
  readonly next: (() => void) | undefined
  onSaved(row: FeedbackRow): void
  onClose(): void
}

/** One message: the conversation with its sender, and at the side its status, a note for colleagues and the facts. */
export function FeedbackDetail({ row, previous, next, onSaved, onClose }: Props) {
  const { inbox } = useTexts()
  const resolve = useResolve(row, next ?? onClose)
  const isDone = row.status === 'done'
  // A key that is held down would go on to the next message.
  const press = ({ repeat }: KeyboardEvent) => isDone || repeat || resolve.mutate()
  useShortcuts({ j: () => next?.(), k: () => previous?.(), e: press }, 1)
  return (
    <>
      <nav aria-label={inbox.walk} className="flex flex-wrap items-center gap-2">
        <Button size="small" isDisabled={!previous} onPress={previous ?? ignore} aria-keyshortcuts="k">
          {inbox.previous}
        </Button>
        <Button size="small" isDisabled={!next} onPress={next ?? ignore} aria-keyshortcuts="j">
          {inbox.next}
        </Button>
        <Button
          size="small"
          isDisabled={isDone}
          isPending={resolve.isPending}
          onPress={() => resolve.mutate()}
          aria-keyshortcuts="e"
        >
          {inbox.resolve}
        </Button>
        <p className="ml-auto text-tiny text-ink-soft max-sm:hidden">{inbox.keys}</p>
      </nav>
      <Failure error={resolve.error} />
      <div className="grid items-start gap-6 @xl:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Said row={row} />
          <Reply row={row} onReplied={onSaved} onResolved={next ?? onClose} />
          <Earlier row={row} />
        </div>
        <div className="flex min-w-0 flex-col gap-5 @xl:border-line @xl:border-s @xl:ps-5">
          <Status row={row} onSaved={onSaved} />
          <Note key={row.note} row={row} onSaved={onSaved} />
          <Where row={row} />
        </div>
      </div>
    </>
  )
}

/** What the sender wrote, and what was answered. */
function Said({ row }: Pick<Props, 'row'>) {
  const { inbox } = useTexts()
  const sender = useAddressOf(row.user_id)
  const said = 'max-w-[92%] rounded-lg px-4 py-3'
  return (
    <>
      <section className={`${said} self-start rounded-ss-xs bg-sunken`}>
        <h3 className="mb-1 flex flex-wrap items-baseline gap-x-3 text-small text-ink-soft">
          <TextLink to={`/console/users/${row.user_id}`}>
            <PersonText>{sender}</PersonText>
          </TextLink>
          <Time at={row.created_at} />
        </h3>
        <PersonProse text={row.content} />
      </section>
      {row.replied_at !== null && (
        <section className={`${said} self-end rounded-ee-xs bg-accent-soft`}>
          <h3 className="mb-1 flex flex-wrap items-baseline gap-x-3 text-small text-ink-soft">
            {inbox.answered} <Time at={row.replied_at} />
          </h3>
          <PersonProse text={row.reply} />
        </section>
      )}
    </>
  )
}

/** Saved as it is chosen. */
function Status({ row: { id, user_id, status }, onSaved }: Pick<Props, 'row' | 'onSaved'>) {
  const { inbox, common } = useTexts()
  const { chosen, choose, error } = useChoice({
    act: (next: FeedbackRow['status']) => call('/api/admin/update_feedback', { id, user_id, status: next }),
    refreshes: [consoleKeys.feedback],
    onDone: onSaved,
  })
  return (
    <div className="flex flex-col gap-2">
      <Segments
        label={common.status}
        value={chosen ?? status}
        options={{ new: inbox.statuses.new, in_progress: inbox.statuses.in_progress, done: inbox.statuses.done }}
        onChange={choose}
      />
      <Failure error={error} />
    </div>
  )
}

function Note({ row: { id, user_id, note }, onSaved }: Pick<Props, 'row' | 'onSaved'>) {
  const { inbox, common } = useTexts()
  const form = useForm({
    schema: z.object({ note: z.string() }),
    initial: { note },
    draft: `triage:${id}`,
    isEdit: true,
    clears: true,
    asksToLeave: true,
    act: (sent) => call('/api/admin/update_feedback', { id, user_id, ...sent }),
    done: common.saved,
    refreshes: [consoleKeys.feedback],
    onDone: onSaved,
  })
  return (
    <Form form={form} className="gap-2" place="start" look="plain" submit={common.save}>
      <TextField {...form.field('note')} label={inbox.note} hint={inbox.noteHint} rows={3} maxLength={10_000} />
    </Form>
  )
}

function Where({ row: { context, handled_by: handler } }: Pick<Props, 'row'>) {
  const { inbox, staff } = useTexts()
  const sent = Object.entries(context).map(
    ([name, value]) => [wordOf(inbox.context, name), <PersonProse key={name} text={value} />] as const,
  )
  const facts = handler
    ? [[staff.handledBy, <PersonText key="handler">{handler.name}</PersonText>] as const, ...sent]
    : sent
  return facts.length === 0 ? null : <Facts facts={facts} />
}

const earlierShown = 4

/** Earlier feedback of the same user. */
function Earlier({ row }: { readonly row: FeedbackRow }) {
  const { inbox } = useTexts()
  const { data } = useQuery({
    queryKey: [...consoleKeys.feedback, 'of', row.user_id],
    queryFn: () => call('/api/admin/list_feedbacks', { user_id: row.user_id, page_size: earlierShown }),
  })
  const others = data?.items.filter(({ id }) => id !== row.id) ?? []
  if (others.length === 0) return null
  return (
    <section className="flex flex-col gap-2 border-line border-t pt-4">
      <h3 className="font-semibold text-compact">{inbox.earlier}</h3>
      <ul className="flex flex-col gap-2">
        {others.map(({ id, content, created_at }) => (
          <li key={id} className="flex justify-between gap-4 text-small">
            <bdi className="wrap-anywhere line-clamp-2 min-w-0">{content}</bdi>
            <Time at={created_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const ignore = () => undefined
