import type { ReactNode } from 'react'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import type { Account, OfferedProvider, Provider } from '../../server/auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { ProviderMark } from '../../ui/facts/provider-mark.tsx'
import { useDate } from '../../ui/facts/time.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { useProviderWords } from '../entry/provider-failure.tsx'
import { accountsQuery } from './queries.ts'

interface WayProps {
  readonly mark: ReactNode
  readonly name: string
  readonly account: Account | undefined
  readonly children: ReactNode
}

export function Way({ mark, name, account, children }: WayProps) {
  const { accounts: texts } = useTexts()
  const date = useDate()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <span className="grid size-9 place-items-center rounded-md border border-line bg-raised">{mark}</span>
      <div className="min-w-40 grow">
        <p className="font-medium">{name}</p>
        <p className="text-small text-ink-soft">
          {account ? texts.connectedSince(date(account.createdAt)) : texts.notConnected}
        </p>
      </div>
      {children}
    </li>
  )
}

interface ProviderWayProps {
  readonly provider: OfferedProvider
  readonly account: Account | undefined
  readonly isOnly: boolean
}

export function ProviderWay({ provider, account, isOnly }: ProviderWayProps) {
  const { accounts: texts } = useTexts()
  return (
    <Way mark={<ProviderMark {...provider} />} name={provider.name} account={account}>
      {!account && <Connect id={provider.id} />}
      {account && isOnly && <Badge>{texts.lastOne}</Badge>}
      {account && !isOnly && <Disconnect provider={provider} />}
    </Way>
  )
}

function Connect({ id }: { readonly id: Provider }) {
  const { accounts: texts } = useTexts()
  const start = useAct({
    act: () =>
      call('/api/auth/link-social', {
        provider: id,
        callbackURL: '/settings/accounts',
        errorCallbackURL: `/settings/accounts?${new URLSearchParams({ provider: id })}`,
      }),
    onDone: ({ url }) => location.assign(url),
  })
  const words = useProviderWords(id)
  return (
    <>
      <Button size="small" isPending={start.isPending} onPress={() => start.mutate()}>
        {texts.connect}
      </Button>
      <Failure error={start.error} words={words} />
    </>
  )
}

function Disconnect({ provider }: { readonly provider: OfferedProvider }) {
  const { accounts: texts } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={texts.disconnect}
      title={texts.confirmTitle(provider.name)}
      text={texts.confirmText(provider.name)}
      act={() => call('/api/auth/unlink-account', { providerId: provider.id })}
      done={texts.disconnected(provider.name)}
      refreshes={[accountsQuery.queryKey]}
    />
  )
}
