import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Reasons } from '../../ui/reasons.tsx'
import { Segments } from '../../ui/segments.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { FeedbackRow } from './rows.ts'

interface Props {
  readonly row: FeedbackRow
  onClose(): void
}

/** One message: what it says, where it stands, a note for colleagues, and an answer to its sender. */
export function FeedbackDetail({ row, onClose }: Props) {
  const { inbox } = useTexts()
  return (
    <Dialog title={row.type} isOpen width="wide" onClose={onClose}>
      <p className="whitespace-pre-line break-words">{row.content}</p>
      <Facts
        facts={[
          [inbox.when, <Time key="when" at={row.created_at} />],
          [
            inbox.sender,
            <TextLink key="sender" to={`/console/users?open=${row.user_id}`}>
              {row.user_id}
            </TextLink>,
          ],
        ]}
      />
      <Triage row={row} />
      <Reply row={row} />
    </Dialog>
  )
}

function Triage({ row }: { readonly row: FeedbackRow }) {
  const { inbox, common } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  const [status, setStatus] = useState(row.status)
  const [note, setNote] = useState(row.note)
  const save = useMutation({
    mutationFn: () => call('/api/admin/update_feedback', { id: row.id, user_id: row.user_id, status, note }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'feedback'] })
      say(inbox.saved)
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={send} className="flex flex-col gap-4 border-line border-t pt-4">
      <Segments label={inbox.status} value={status} options={inbox.statuses} onChange={setStatus} />
      <TextField label={inbox.note} hint={inbox.noteHint} rows={2} value={note} onChange={setNote} />
      <Reasons error={save.error} />
      <div>
        <Button
          type="submit"
          look="primary"
          isPending={save.isPending}
          isDisabled={status === row.status && note === row.note}
        >
          {common.save}
        </Button>
      </div>
    </form>
  )
}

function Reply({ row }: { readonly row: FeedbackRow }) {
  const { inbox } = useTexts()
  const say = useToast()
  const [text, setText] = useState('')
  const reply = useMutation({
    mutationFn: () =>
      call('/api/admin/create_notification', {
        type: 'reply',
        title: inbox.replyTitle,
        content: text,
        target_user_id: row.user_id,
      }),
    onSuccess: () => {
      setText('')
      say(inbox.replied)
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) reply.mutate()
  }
  return (
    <form onSubmit={send} className="flex flex-col gap-4 border-line border-t pt-4">
      <TextField label={inbox.reply} hint={inbox.replyHint} rows={3} value={text} onChange={setText} />
      <Reasons error={reply.error} />
      <div>
        <Button type="submit" isPending={reply.isPending} isDisabled={!text.trim()}>
          {inbox.replySend}
        </Button>
      </div>
    </form>
  )
}
