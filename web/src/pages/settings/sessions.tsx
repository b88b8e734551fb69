import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ListedSession, listSessions, revokeOtherSessions, revokeSession } from '../../auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FactLine } from '../../ui/fact-line.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAgo } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

const sessionsKey = ['sessions']

export function Sessions() {
  const { sessions: texts } = useTexts()
  const sessions = useQuery({ queryKey: sessionsKey, queryFn: listSessions })
  const ordered = sessions.data?.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
  return (
    <Card title={texts.title} lead={texts.lead} action={<EndOthers isIdle={(ordered?.length ?? 0) < 2} />}>
      <Failure error={sessions.error} />
      {sessions.isPending && <Skeleton />}
      <ul className="-my-3 divide-y divide-line">
        {ordered?.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      {ordered?.length === 1 && (
        <p className="mt-3 border-line border-t pt-4 text-ink-soft">{texts.onlyThis}</p>
      )}
    </Card>
  )
}

function SessionRow({ session }: { readonly session: ListedSession }) {
  const { sessions: texts } = useTexts()
  const ago = useAgo()
  const device = session.device ?? texts.unknown
  const end = useEnd(texts.ended, () => revokeSession(session.token))
  const facts = [
    texts.created(ago(session.createdAt)),
    texts.lastUsed(ago(session.lastUsedAt)),
    session.place,
    session.ipAddress,
  ].filter((fact) => fact !== null)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <span className="grid size-9 place-items-center rounded-md border border-line bg-raised text-ink-soft">
        <Icon name="device" />
      </span>
      <div className="min-w-40 grow basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {device} {session.isCurrent && <Badge look="accent">{texts.current}</Badge>}
        </p>
        <FactLine facts={facts} />
        <Failure error={end.error} />
      </div>
      {!session.isCurrent && (
        <Button
          size="small"
          look="warn"
          aria-label={texts.endNamed(device)}
          isPending={end.isPending}
          onPress={() => end.mutate()}
        >
          {texts.end}
        </Button>
      )}
    </li>
  )
}

function EndOthers({ isIdle }: { readonly isIdle: boolean }) {
  const { sessions: texts } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const end = useEnd(texts.othersEnded, revokeOtherSessions)
  return (
    <>
      <Button size="small" look="warn" isDisabled={isIdle} onPress={() => setOpen(true)}>
        {texts.endOthers}
      </Button>
      <ConfirmDialog
        title={texts.confirmTitle}
        text={texts.confirmText}
        action={texts.endOthers}
        isOpen={isOpen}
        isPending={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate(undefined, { onSuccess: () => setOpen(false) })}
        onClose={() => setOpen(false)}
      />
    </>
  )
}

function useEnd(done: string, revoke: () => Promise<unknown>) {
  const queryClient = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: revoke,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsKey })
      say(done)
    },
  })
}
