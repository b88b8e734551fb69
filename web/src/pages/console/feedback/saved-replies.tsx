import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Form } from '../../../ui/form.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { repliesQuery } from '../queries.ts'

interface Props {
  /** What is typed now, which can become a saved reply. */
  readonly typed: string
  onChosen(text: string): void
}

/** Replies that are often given: used with one press, saved from what is typed. */
export function SavedReplies({ typed, onChosen }: Props) {
  const { replies } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const use = (text: string) => {
    setOpen(false)
    onChosen(text)
  }
  return (
    <>
      <Button look="plain" onPress={() => setOpen(true)}>
        {replies.title}
      </Button>
      {isOpen && (
        <Dialog title={replies.title} onClose={() => setOpen(false)}>
          <Known onChosen={use} />
          <Save typed={typed} />
        </Dialog>
      )}
    </>
  )
}

function Known({ onChosen }: Pick<Props, 'onChosen'>) {
  const { replies } = useTexts()
  const query = useQuery(repliesQuery)
  return (
    <Loaded query={query}>
      {({ items }) => (
        <ul aria-label={replies.title} className="divide-y divide-line empty:hidden">
          {items.map(({ id, name, text }) => (
            <li key={id} className="flex items-center justify-between gap-3 py-2.5">
              <div className="min-w-0">
                <p className="truncate font-medium">
                  <bdi>{name}</bdi>
                </p>
                <p className="truncate text-ink-soft text-small">
                  <bdi>{text}</bdi>
                </p>
              </div>
              <div className="flex shrink-0 gap-2">
                <Button size="small" aria-label={replies.insertNamed(name)} onPress={() => onChosen(text)}>
                  {replies.insert}
                </Button>
                <ConfirmedAct
                  size="small"
                  label={replies.remove}
                  name={replies.removeNamed(name)}
                  title={replies.removeTitle(name)}
                  text={replies.removeText}
                  act={() => call('/api/admin/delete_reply', { id })}
                  done={replies.removed}
                  refreshes={[repliesQuery.queryKey]}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

function Save({ typed }: Pick<Props, 'typed'>) {
  const texts = useTexts()
  const { replies } = texts
  const { required } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ name: required, text: required }),
    initial: { name: '', text: typed },
    draft: 'saved-reply',
    clears: true,
    act: (sent) => call('/api/admin/save_reply', sent),
    done: replies.saved,
    refreshes: [repliesQuery.queryKey],
  })
  return (
    <Form form={form} className="gap-3" submit={replies.save} look="plain">
      <TextField {...form.field('name')} label={replies.name} hint={replies.nameHint} maxLength={64} />
      <TextField {...form.field('text')} label={replies.text} rows={3} maxLength={10_000} />
    </Form>
  )
}
