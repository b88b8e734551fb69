import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { deleteUser } from '../../auth.ts'
import { saveFile } from '../../save-file.ts'
import { useSignedIn } from '../../session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { accountsQuery } from './accounts-query.ts'

export function Data() {
  return (
    <>
      <Export />
      <Delete />
    </>
  )
}

function Export() {
  const { data: texts } = useTexts()
  const say = useToast()
  const download = useMutation({
    mutationFn: () => call('/api/export_account', {}),
    onSuccess: (held) => {
      saveFile('my-data.json', JSON.stringify(held, undefined, 2), 'application/json')
      say(texts.exportDone)
    },
  })
  return (
    <Card title={texts.exportTitle} lead={texts.exportText}>
      <div className="flex flex-col items-start gap-4">
        <Button isPending={download.isPending} onPress={() => download.mutate()}>
          <Icon name="download" /> {texts.exportAction}
        </Button>
        <Failure error={download.error} />
      </div>
    </Card>
  )
}

function Delete() {
  const { data: texts } = useTexts()
  const { user } = useSignedIn()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const accounts = useQuery(accountsQuery)
  const hasPassword = accounts.data?.some(({ providerId }) => providerId === 'credential') ?? true
  const erase = useMutation({
    mutationFn: deleteUser,
    onSuccess: () => location.assign('/sign-in?account=deleted'),
  })
  if (user.role === 'administrator') return <Card title={texts.deleteTitle} lead={texts.administrator} />

  return (
    <Card title={texts.deleteTitle} lead={texts.deleteText}>
      <Button look="warn" onPress={() => setOpen(true)}>
        <Icon name="trash" /> {texts.deleteAction}
      </Button>
      <ConfirmDialog
        title={texts.confirmTitle}
        text={texts.confirmText}
        action={texts.confirmAction}
        isOpen={isOpen}
        isPending={erase.isPending}
        isBlocked={hasPassword ? typed === '' : typed.trim().toLowerCase() !== texts.word}
        error={erase.error}
        onConfirm={() => erase.mutate(hasPassword ? typed : undefined)}
        onClose={() => setOpen(false)}
      >
        <TextField
          label={hasPassword ? texts.confirmPassword : texts.confirmWord(texts.word)}
          type={hasPassword ? 'password' : 'text'}
          autoComplete={hasPassword ? 'current-password' : 'off'}
          value={typed}
          onChange={setTyped}
        />
      </ConfirmDialog>
    </Card>
  )
}
