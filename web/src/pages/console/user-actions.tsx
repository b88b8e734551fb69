import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Output } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Props {
  readonly user: Output<'/api/admin/get_user'>
  onDeleted(): void
}

export function UserActions({ user, onDeleted }: Props) {
  const { people } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  const end = useMutation({
    mutationFn: () => call('/api/admin/revoke_user_sessions', { id: user.id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'user', user.id] })
      say(people.endedSessions)
    },
  })
  return (
    <footer className="flex flex-col gap-3 border-line border-t pt-4">
      <Failure error={end.error} />
      <div className="flex flex-wrap gap-2">
        <Button
          isPending={end.isPending}
          isDisabled={user.sessions.length === 0}
          onPress={() => end.mutate()}
        >
          {people.endSessions}
        </Button>
        {user.role !== 'administrator' && <Delete user={user} onDeleted={onDeleted} />}
      </div>
    </footer>
  )
}

function Delete({ user, onDeleted }: Props) {
  const { people } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => call('/api/admin/delete_user', { id: user.id }),
    onSuccess: async () => {
      say(people.removed)
      onDeleted()
      await queryClient.invalidateQueries({ queryKey: ['console', 'users'] })
    },
  })
  return (
    <>
      <Button look="warn" onPress={() => setAsking(true)}>
        {people.remove}
      </Button>
      <ConfirmDialog
        title={people.removeTitle(user.email)}
        text={people.removeText}
        action={people.remove}
        isOpen={isAsking}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
