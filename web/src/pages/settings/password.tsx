import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changePassword } from '../../auth.ts'
import { hasProblem, missingProblem, newPasswordProblem } from '../../form.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { accountsQuery } from './accounts-query.ts'

export function Password() {
  const { password } = useTexts()
  const accounts = useQuery(accountsQuery)
  if (accounts.data?.some(({ providerId }) => providerId === 'credential')) return <PasswordForm />
  return (
    <Card title={password.title}>
      <Failure error={accounts.error} />
      {accounts.isPending && <Skeleton />}
      {accounts.data && <EmptyState icon="key" title={password.noneTitle} text={password.noneText} />}
    </Card>
  )
}

const blank = { current: '', next: '' }

function PasswordForm() {
  const texts = useTexts()
  const { password } = texts
  const [{ current, next }, setTyped] = useState(blank)
  const [endsOthers, setEndsOthers] = useState(true)
  const [isTried, setTried] = useState(false)
  const problems = {
    current: missingProblem(texts.form.passwordMissing, current),
    next: newPasswordProblem(texts, next),
  }
  const change = useChange(() => {
    setTyped(blank)
    setTried(false)
  })

  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (hasProblem(problems)) return
    change.mutate({ currentPassword: current, newPassword: next, revokeOtherSessions: endsOthers })
  }
  return (
    <form noValidate onSubmit={send}>
      <Card
        title={password.title}
        lead={password.lead}
        footer={
          <Button type="submit" look="primary" isPending={change.isPending}>
            {password.submit}
          </Button>
        }
      >
        <div className="flex max-w-xl flex-col gap-5">
          <TextField
            label={password.current}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(value) => setTyped({ current: value, next })}
            problem={isTried ? problems.current : undefined}
          />
          <TextField
            label={password.next}
            type="password"
            autoComplete="new-password"
            value={next}
            onChange={(value) => setTyped({ current, next: value })}
            hint={texts.signUp.passwordHint}
            problem={isTried ? problems.next : undefined}
          />
          <Switch label={password.endOthers} isSelected={endsOthers} onChange={setEndsOthers} />
          <Failure error={change.error} />
        </div>
      </Card>
    </form>
  )
}

function useChange(onDone: () => void) {
  const { password } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: changePassword,
    onSuccess: async () => {
      onDone()
      say(password.saved)
      await queryClient.invalidateQueries()
    },
  })
}
