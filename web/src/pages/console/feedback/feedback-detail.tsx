import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { PersonProse, PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Form } from '../../../ui/form.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { useShortcuts } from '../../../ui/shortcuts.ts'
import { consoleKeys, feedbackStatuses } from '../queries.ts'
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

/** One message: what it says, its status, a note for colleagues, and a reply to its sender. */
export function FeedbackDetail({ row, previous, next, onSaved, onClose }: Props) {
  const { inbox, common } = useTexts()
  const resolve = useResolve(row, next ?? onClose)
  const isDone = row.status === 'done'
  // A key that is held down would go on to the next message.
  const press = ({ repeat }: KeyboardEvent) => isDone || repeat || resolve.mutate()
  useShortcuts({ j: () => next?.(), k: () => previous?.(), e: press }, 1)
  const sender = useAddressOf(row.user_id)
  return (
    <Dialog title={<bdi>{wordOf(inbox.kinds, row.type)}</bdi>} width="wide" onClose={onClose}>
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
      <PersonProse text={row.content} />
      <Facts
        facts={[
          [common.when, <Time key="when" at={row.created_at} />],
          [
            inbox.sender,
            <TextLink key="sender" to={`/console/users/${row.user_id}`}>
              <PersonText>{sender}</PersonText>
            </TextLink>,
          ],
          ...Object.entries(row.context).map(
            ([name, value]) => [wordOf(inbox.context, name), <PersonProse key={name} text={value} />] as const,
          ),
        ]}
      />
      {row.replied_at !== null && (
        <section className="border-line border-t pt-4">
          <h3 className="flex flex-wrap justify-between gap-x-4 font-semibold text-compact">
            {inbox.answered} <Time at={row.replied_at} />
          </h3>
          <PersonProse text={row.reply} />
        </section>
      )}
      <Triage key={`${row.status} ${row.note}`} row={row} onSaved={onSaved} />
      <Reply row={row} onReplied={onSaved} onResolved={next ?? onClose} />
      <Earlier row={row} />
    </Dialog>
  )
}

function Triage({ row, onSaved }: Pick<Props, 'row' | 'onSaved'>) {
  const { inbox, common } = useTexts()
  const { id, user_id, status, note } = row
  const form = useForm({
    schema: z.object({ status: z.enum(feedbackStatuses), note: z.string() }),
    initial: { status, note },
    draft: `triage:${id}`,
    isEdit: true,
    clears: true,
    asksToLeave: true,
    // Sends changed fields only: the others could be older than a colleague's save.
    act: (sent, changed) =>
      call('/api/admin/update_feedback', {
        ...{ id, user_id },
        ...(changed.includes('status') && { status: sent.status }),
        ...(changed.includes('note') && { note: sent.note }),
      }),
    done: common.saved,
    refreshes: [consoleKeys.feedback],
    onDone: onSaved,
  })
  return (
    <Form form={form} className="gap-4 border-line border-t pt-4" place="start" submit={common.save}>
      <Segments {...form.field('status')} label={common.status} options={inbox.statuses} />
      <TextField {...form.field('note')} label={inbox.note} hint={inbox.noteHint} rows={2} maxLength={10_000} />
    </Form>
  )
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
