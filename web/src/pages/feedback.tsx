import { useState } from 'react'
import * as z from 'zod/mini'
import { useDraft } from '../forms/draft.ts'
import { fieldsOf } from '../forms/fields.ts'
import { useForm } from '../forms/form.ts'
import { useAct } from '../server/act.ts'
import { call } from '../server/api.ts'
import { useTexts } from '../texts/texts.tsx'
import { Card } from '../ui/card.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Select } from '../ui/controls/select.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { EmptyState } from '../ui/lists/empty-state.tsx'
import { Failure } from '../ui/messages/failure.tsx'
import { Page } from '../ui/page.tsx'

const longestContent = 10_000
const countFrom = 1_000

export function Feedback() {
  const { feedback } = useTexts()
  const [isSent, setSent] = useState(false)
  return (
    <Page title={feedback.title} lead={feedback.lead}>
      <Card>
        {isSent ? (
          <EmptyState
            icon="check"
            title={feedback.sentTitle}
            text={feedback.sentText}
            action={<Button onPress={() => setSent(false)}>{feedback.another}</Button>}
          />
        ) : (
          <FeedbackForm onSent={() => setSent(true)} />
        )}
      </Card>
    </Page>
  )
}

function FeedbackForm({ onSent }: { onSent(): void }) {
  const texts = useTexts()
  const { feedback } = texts
  const [type, setType] = useState<keyof typeof feedback.kinds>('idea')
  const [draft, setDraft] = useDraft('feedback')
  const submit = useAct({
    act: (content: string) => call('/api/submit_feedback', { type, content }),
    onDone: () => {
      setDraft('')
      onSent()
    },
  })
  const form = useForm({
    schema: z.object({ content: fieldsOf(texts).required }),
    initial: { content: draft },
    error: submit.error,
    onSend: ({ content }) => submit.mutate(content),
  })
  const left = longestContent - form.values.content.length
  return (
    <form {...form.props} className="flex max-w-2xl flex-col gap-5">
      <div className="sm:max-w-64">
        <Select label={feedback.kind} value={type} options={feedback.kinds} onChange={setType} />
      </div>
      <TextField
        {...form.field('content')}
        label={feedback.content}
        rows={8}
        maxLength={longestContent}
        onChange={(content) => {
          form.set({ content })
          setDraft(content)
        }}
        hint={left < countFrom ? feedback.left(left) : feedback.contentHint}
      />
      <Failure error={form.failure} />
      <div>
        <Button type="submit" look="primary" isPending={submit.isPending}>
          {feedback.submit}
        </Button>
      </div>
    </form>
  )
}
