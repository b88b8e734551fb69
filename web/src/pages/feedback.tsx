import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../forms/fields.ts'
import { useForm } from '../forms/form.ts'
import { call } from '../server/api.ts'
import { ownFeedbackKey } from '../server/own-feedback.ts'
import { useTexts } from '../texts/texts.tsx'
import { Card } from '../ui/card.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Select } from '../ui/controls/select.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Form } from '../ui/form.tsx'
import { EmptyState } from '../ui/lists/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { OwnFeedback } from './own-feedback.tsx'

const longestContent = 10_000
const countFrom = 1_000

export function Feedback() {
  const { feedback, nav } = useTexts()
  const [isSent, setSent] = useState(false)
  return (
    <Page title={nav.feedback} lead={feedback.lead}>
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
  const initial: { type: keyof typeof feedback.kinds; content: string } = { type: 'idea', content: '' }
  const form = useForm({
    schema: z.object({ type: z.string(), content: fieldsOf(texts).required }),
    initial,
    draft: 'feedback',
    clears: true,
    act: (sent) => call('/api/submit_feedback', sent),
    refreshes: [ownFeedbackKey],
    onDone: onSent,
  })
  const left = longestContent - form.values.content.length
  return (
    <Form form={form} className="max-w-2xl gap-5" place="start" submit={feedback.submit}>
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
    </Form>
  )
}
