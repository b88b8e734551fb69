import { type FormEvent, useState } from 'react'
import { useUnsaved } from '../../../forms/unsaved.tsx'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { PersonProse, PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Reasons } from '../../../ui/messages/reasons.tsx'
import { useKindWords } from '../audit/kind-words.ts'
import type { FeedbackRow } from '../rows.ts'
import { useAddressOf } from '../users/person.ts'

interface Props {
  readonly row: FeedbackRow
  onClose(): void
}

/** One message: what it says, its status, a note for colleagues, and a reply to its sender. */
export function FeedbackDetail({ row, onClose }: Props) {
  const { inbox } = useTexts()
  const sender = useAddressOf(row.user_id)
  return (
    <Dialog title={<bdi>{useKindWords()(row.type)}</bdi>} isOpen width="wide" onClose={onClose}>
      <PersonProse text={row.content} />
      <Facts
        facts={[
          [inbox.when, <Time key="when" at={row.created_at} />],
          [
            inbox.sender,
            <TextLink key="sender" to={`/console/users?open=${row.user_id}`}>
              <PersonText>{sender}</PersonText>
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
  const [status, setStatus] = useState(row.status)
  const [note, setNote] = useState(row.note)
  const isChanged = status !== row.status || note !== row.note
  useUnsaved(isChanged)
  const save = useAct({
    act: () => call('/api/admin/update_feedback', { id: row.id, user_id: row.user_id, status, note }),
    done: inbox.saved,
    refreshes: [['console', 'feedback']],
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={send} className="flex flex-col gap-4 border-line border-t pt-4">
      <Segments label={inbox.status} value={status} options={inbox.statuses} onChange={setStatus} />
      <TextField
        label={inbox.note}
        hint={inbox.noteHint}
        rows={2}
        maxLength={10_000}
        value={note}
        onChange={setNote}
      />
      <Reasons error={save.error} />
      <div>
        <Button type="submit" look="primary" isPending={save.isPending} isDisabled={!isChanged}>
          {common.save}
        </Button>
      </div>
    </form>
  )
}

function Reply({ row }: { readonly row: FeedbackRow }) {
  const { inbox } = useTexts()
  const [text, setText] = useState('')
  useUnsaved(text.trim() !== '')
  const reply = useAct({
    act: () =>
      call('/api/admin/create_notification', {
        type: 'reply',
        title: inbox.replyTitle,
        content: text,
        target_user_id: row.user_id,
      }),
    done: inbox.replied,
    onDone: () => setText(''),
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) reply.mutate()
  }
  return (
    <form onSubmit={send} className="flex flex-col gap-4 border-line border-t pt-4">
      <TextField
        label={inbox.reply}
        hint={inbox.replyHint}
        rows={3}
        maxLength={10_000}
        value={text}
        onChange={setText}
      />
      <Reasons error={reply.error} />
      <div>
        <Button type="submit" isPending={reply.isPending} isDisabled={!text.trim()}>
          {inbox.replySend}
        </Button>
      </div>
    </form>
  )
}
