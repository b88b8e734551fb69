import { useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

interface Props {
  readonly id: string
  onClose(): void
}

export function UserDetail({ id, onClose }: Props) {
  const { people } = useTexts()
  const user = useQuery({
    queryKey: ['console', 'user', id],
    queryFn: () => call('/api/admin/get_user', { id }),
  })
  return (
    <Dialog title={user.data?.email ?? people.title} isOpen width="wide" onClose={onClose}>
      <Failure error={user.error} />
      {user.isPending && <Skeleton rows={5} />}
    </Dialog>
  )
}
