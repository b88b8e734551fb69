import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../forms/fields.ts'
import { useForm } from '../forms/form.ts'
import { useAct } from '../server/act.ts'
import { call, type Input } from '../server/api.ts'
import { ownFeedbackKey } from '../server/own-feedback.ts'
import { useTexts } from '../texts/texts.tsx'
import { Card } from '../ui/card.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Select } from '../ui/controls/select.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { EmptyState } from '../ui/lists/empty-state.tsx'
import { Failure } from '../ui/messages/failure.tsx'
import { Page } from '../ui/page.tsx'
import { OwnFeedback } from './own-feedback.tsx'

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
      <OwnFeedback />
    </Page>
  )
}

function FeedbackForm({ onSent }: { onSent(): void }) {
  const texts = useTexts()
  const { feedback } = texts
  const submit = useAct({
    act: (sent: Input<'/api/submit_feedback'>) => call('/api/submit_feedback', sent),
    refreshes: [ownFeedbackKey],
    onDone: () => {
      form.clear()
      onSent()
    },
  })
  const initial: { type: keyof typeof feedback.kinds; content: string } = { type: 'idea', content: '' }
  const form = useForm({
    schema: z.object({ type: z.string(), content: fieldsOf(texts).required }),
    initial,
    error: submit.error,
    draft: 'feedback',
    onSend: (sent) => submit.mutate(sent),
  })
  const left = longestContent - form.values.content.length
  return (
    <form {...form.props} className="flex max-w-2xl flex-col gap-5">
      <div className="sm:max-w-64">
        <Select
          label={feedback.kind}
          value={form.values.type}
          options={feedback.kinds}
          onChange={(type) => form.set({ type })}
        />
      </div>
      <TextField
        {...form.field('content')}
        label={feedback.content}
        rows={8}
        maxLength={longestContent}
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
