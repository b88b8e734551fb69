import type { ReactNode } from 'react'
import { useAct } from '../../../server/act.ts'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { consoleKeys } from '../queries.ts'
import { Secret } from './secret.tsx'

type Webhook = Output<'/api/admin/list_webhooks'>['items'][number]

interface Props {
  readonly row: Webhook
  readonly children: ReactNode
}

export function Endpoint({ row, children }: Props) {
  const { webhooks } = useTexts()
  const { id, url, types } = row
  return (
    <Card title={url} lead={types.length === 0 ? webhooks.allTypes : types.join(', ')}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <State row={row} />
          <TextLink to={`/console/webhooks?open=${id}`}>{webhooks.deliveries}</TextLink>
        </div>
        <Acts row={row} />
        {children}
      </div>
    </Card>
  )
}

function State({ row: { enabled, failing_since, switched_off_at, last_taken_at } }: Pick<Props, 'row'>) {
  const { webhooks } = useTexts()
  const since = switched_off_at ?? failing_since
  return (
    <>
      <Badge look={!enabled ? 'plain' : since === null ? 'accent' : 'warning'}>
        {!enabled ? webhooks.off : since === null ? webhooks.working : webhooks.failing}
      </Badge>
      <span className="text-small text-ink-soft">
        {since !== null ? (
          <>
            {webhooks.failingSince} <Time at={since} />
          </>
        ) : (
          last_taken_at !== null && (
            <>
              {webhooks.lastTaken} <Time at={last_taken_at} />
            </>
          )
        )}
      </span>
    </>
  )
}

function Acts({ row: { id, url, enabled } }: Pick<Props, 'row'>) {
  const { webhooks } = useTexts()
  const refreshes = [consoleKeys.webhooks]
  const test = useAct({ act: () => call('/api/admin/test_webhook', { id }), refreshes })
  const rotate = useAct({ act: () => call('/api/admin/rotate_webhook_secret', { id }), refreshes })
  const change = useAct({
    act: () => call('/api/admin/update_webhook', { id, enabled: !enabled }),
    refreshes,
  })
  const buttons = [
    { label: webhooks.test, act: test },
    { label: webhooks.rotate, act: rotate },
    { label: enabled ? webhooks.switchOff : webhooks.switchOn, act: change },
  ]
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {buttons.map(({ label, act }) => (
          <Button
            key={label}
            size="small"
            isPending={act.isPending}
            aria-label={`${label}: ${url}`}
            onPress={() => act.mutate()}
          >
            {label}
          </Button>
        ))}
        <ConfirmedAct
          size="small"
          label={webhooks.remove}
          name={`${webhooks.remove}: ${url}`}
          title={webhooks.removeTitle}
          text={webhooks.removeText}
          act={() => call('/api/admin/delete_webhook', { id })}
          refreshes={refreshes}
        />
      </div>
      {test.data && (
        <Notice look={test.data.status === 'delivered' ? 'done' : 'warning'} title={webhooks.tested}>
          {test.data.error ?? webhooks.taken(test.data.answer_code ?? 0, test.data.milliseconds ?? 0)}
        </Notice>
      )}
      {rotate.data && <Secret secret={rotate.data.secret} />}
      <Failure error={test.error ?? rotate.error ?? change.error} />
    </>
  )
}
