import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { consoleKeys } from '../queries.ts'
import type { FeedbackRow } from '../rows.ts'
import { SavedReplies } from './saved-replies.tsx'

/** Marks a message as done and goes on to the next one. */
export function useResolve({ id, user_id }: FeedbackRow, onDone: () => void) {
  const { inbox } = useTexts()
  return useAct({
    act: () => call('/api/admin/update_feedback', { id, user_id, status: 'done' }),
    done: inbox.resolved,
    refreshes: [consoleKeys.feedback],
    onDone,
  })
}

interface ReplyProps {
  readonly row: FeedbackRow
  onReplied(row: FeedbackRow): void
  onResolved(): void
}

/** The text outlives the end of the session. ⌘↵ or Ctrl+Enter sends it and marks the message as done. */
export function Reply({ row, onReplied, onResolved }: ReplyProps) {
  const { inbox } = useTexts()
  const form = useReply(row, onReplied)
  const resolve = useResolve(row, onResolved)
  const sendAndResolve = () => form.send(resolve.mutate)
  return (
    <form
      {...form.props}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) sendAndResolve()
      }}
      className="flex flex-col gap-4 border-line border-t pt-4"
    >
      <TextField {...form.field('text')} label={inbox.reply} hint={inbox.replyHint} rows={3} maxLength={10_000} />
      <Failure error={form.failure ?? resolve.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isPending={form.isPending}>
          {inbox.replySend}
        </Button>
        <Button
          look="primary"
          isPending={resolve.isPending}
          onPress={sendAndResolve}
          aria-keyshortcuts="Meta+Enter Control+Enter"
        >
          {inbox.replyAndResolve}
        </Button>
        <SavedReplies typed={form.values.text} onChosen={(text) => form.set({ text })} />
      </div>
    </form>
  )
}

function useReply({ id, user_id }: FeedbackRow, onReplied: ReplyProps['onReplied']) {
  const texts = useTexts()
  return useForm({
    schema: z.object({ text: fieldsOf(texts).required }),
    initial: { text: '' },
    draft: `reply:${id}`,
    clears: true,
    asksToLeave: true,
    act: ({ text }) => call('/api/admin/reply_to_feedback', { id, user_id, text }),
    done: texts.inbox.replied,
    refreshes: [consoleKeys.feedback],
    onDone: onReplied,
  })
}
