import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../api.ts'
import { useDraft } from '../draft.ts'
import { missingProblem } from '../form.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Failure } from '../ui/failure.tsx'
import { Page } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { TextField } from '../ui/text-field.tsx'

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
  const { feedback, form } = useTexts()
  const [type, setType] = useState<keyof typeof feedback.kinds>('idea')
  const [content, setContent] = useDraft('feedback')
  const [isTried, setTried] = useState(false)
  const submit = useMutation({
    mutationFn: () => call('/api/submit_feedback', { type, content: content.trim() }),
    onSuccess: () => {
      setContent('')
      onSent()
    },
  })
  const problem = missingProblem(form.required, content)
  const left = longestContent - content.length

  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem) submit.mutate()
  }
  return (
    <form noValidate onSubmit={send} className="flex max-w-2xl flex-col gap-5">
      <div className="sm:max-w-64">
        <Select label={feedback.kind} value={type} options={feedback.kinds} onChange={setType} />
      </div>
      <TextField
        label={feedback.content}
        rows={8}
        maxLength={longestContent}
        value={content}
        onChange={setContent}
        hint={left < countFrom ? feedback.left(left) : feedback.contentHint}
        problem={isTried ? problem : undefined}
      />
      <Failure error={submit.error} />
      <div>
        <Button type="submit" look="primary" isPending={submit.isPending}>
          {feedback.submit}
        </Button>
      </div>
    </form>
  )
}
