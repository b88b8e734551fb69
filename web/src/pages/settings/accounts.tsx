import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Account, startLinking, unlinkAccount } from '../../auth.ts'
import { useClientConfig } from '../../session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProviderMark } from '../../ui/provider-mark.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useDate } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ProviderFailure } from '../provider-failure.tsx'
import { accountsQuery } from './accounts-query.ts'

interface Way {
  readonly id: string
  readonly name: string
  readonly preset: string
}

export function Accounts() {
  const { accounts: texts } = useTexts()
  const { providers } = useClientConfig()
  const accounts = useQuery(accountsQuery)
  const held = accounts.data ?? []
  const ways: readonly Way[] = [{ id: 'credential', name: texts.credential, preset: '' }, ...providers]
  const shown = ways.filter(
    ({ id }) => id !== 'credential' || held.some(({ providerId }) => providerId === id),
  )

  return (
    <Card title={texts.title} lead={texts.lead}>
      <ProviderFailure />
      <Failure error={accounts.error} />
      {accounts.isPending && <Skeleton />}
      {accounts.data && (
        <ul className="-my-3 divide-y divide-line">
          {shown.map((way) => (
            <WayRow
              key={way.id}
              way={way}
              account={held.find(({ providerId }) => providerId === way.id)}
              isOnly={held.length === 1}
            />
          ))}
        </ul>
      )}
    </Card>
  )
}

interface RowProps {
  readonly way: Way
  readonly account: Account | undefined
  readonly isOnly: boolean
}

function WayRow({ way, account, isOnly }: RowProps) {
  const { accounts: texts } = useTexts()
  const date = useDate()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <span className="grid size-9 place-items-center rounded-md border border-line bg-raised">
        {way.preset ? <ProviderMark {...way} /> : <Icon name="mail" />}
      </span>
      <div className="min-w-40 grow">
        <p className="font-medium">{way.name}</p>
        <p className="text-[0.867rem] text-ink-soft">
          {account ? texts.connectedSince(date(account.createdAt)) : texts.notConnected}
        </p>
      </div>
      {!account && <Connect id={way.id} />}
      {account && isOnly && <Badge>{texts.lastOne}</Badge>}
      {account && !isOnly && way.id !== 'credential' && <Disconnect way={way} />}
    </li>
  )
}

function Connect({ id }: { readonly id: string }) {
  const { accounts: texts } = useTexts()
  const start = useMutation({
    mutationFn: () =>
      startLinking(id, { callbackURL: '/settings/accounts', errorCallbackURL: '/settings/accounts' }),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <>
      <Button size="small" isPending={start.isPending} onPress={() => start.mutate()}>
        {texts.connect}
      </Button>
      <Failure error={start.error} />
    </>
  )
}

function Disconnect({ way }: { readonly way: Way }) {
  const { accounts: texts } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const queryClient = useQueryClient()
  const say = useToast()
  const unlink = useMutation({
    mutationFn: () => unlinkAccount(way.id),
    onSuccess: async () => {
      setOpen(false)
      say(texts.disconnected(way.name))
      await queryClient.invalidateQueries({ queryKey: accountsQuery.queryKey })
    },
  })
  return (
    <>
      <Button size="small" look="warn" onPress={() => setOpen(true)}>
        {texts.disconnect}
      </Button>
      <ConfirmDialog
        title={texts.confirmTitle(way.name)}
        text={texts.confirmText(way.name)}
        action={texts.disconnect}
        isOpen={isOpen}
        isPending={unlink.isPending}
        error={unlink.error}
        onConfirm={() => unlink.mutate()}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
