import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, onStaleSession } from '../api.ts'
import { signOut } from '../auth.ts'
import { accountsQuery } from '../pages/settings/accounts-query.ts'
import { useTexts } from '../texts/texts.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { TextField } from './text-field.tsx'

/** Asks for the password where an act needs a fresh session; the act goes on afterwards. */
export function AskToConfirm() {
  const [answer, setAnswer] = useState<(isConfirmed: boolean) => void>()
  useEffect(
    () =>
      onStaleSession(
        () =>
          new Promise((resolve) => {
            setAnswer(() => resolve)
          }),
      ),
    [],
  )
  if (!answer) return null
  const end = (isConfirmed: boolean) => {
    setAnswer(undefined)
    answer(isConfirmed)
  }
  return <Question end={end} />
}

function Question({ end }: { end(isConfirmed: boolean): void }) {
  const { fresh: texts } = useTexts()
  const [password, setPassword] = useState('')
  const accounts = useQuery(accountsQuery)
  const hasPassword = accounts.data?.some(({ providerId }) => providerId === 'credential') ?? true
  const confirm = useMutation({
    mutationFn: async () => {
      if (hasPassword) await call('/api/auth/confirm', { password })
      else await signInAgain()
    },
    onSuccess: () => end(true),
  })
  return (
    <ConfirmDialog
      title={texts.title}
      text={hasPassword ? texts.text : texts.withoutPassword}
      action={hasPassword ? texts.action : texts.signInAgain}
      isOpen
      isPending={confirm.isPending}
      isBlocked={hasPassword && password === ''}
      error={confirm.error}
      onConfirm={() => confirm.mutate()}
      onClose={() => end(false)}
    >
      {hasPassword && (
        <TextField
          label={texts.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      )}
    </ConfirmDialog>
  )
}

async function signInAgain() {
  await signOut()
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`)
}
