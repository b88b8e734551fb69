import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { Navigate, useLocation, useNavigateNext } from '../../../routing/router.tsx'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { comeBack } from '../../../ui/lists/opened-row.ts'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { Place } from '../../place.tsx'
import { idIn } from '../id-in.ts'
import { consoleKeys, failedDeliveriesQuery, waitingDeliveriesQuery, webhooksQuery } from '../queries.ts'
import { Deliveries } from './deliveries.tsx'
import { State, type Webhook } from './endpoints.tsx'
import { chosenEvents, chosenOf, EventsField } from './events-field.tsx'
import { failureWords } from './failure-words.ts'
import { Secret } from './secret.tsx'

/** One endpoint: what it gets, what waits for it, what it answered last, and what can be done with it. */
export function ConsoleWebhook() {
  const { webhooks } = useTexts()
  const id = idIn(useLocation().pathname)
  const list = useQuery(webhooksQuery)
  const isSettled = areSettled([useQuery(waitingDeliveriesQuery(id)), useQuery(failedDeliveriesQuery(id))])
  const row = list.data?.items.find((one) => one.id === id)
  const title = row ? new URL(row.url).host : webhooks.title
  if (id === '') return <Navigate to="/console/webhooks" replace />
  return (
    <Page
      title={<bdi>{title}</bdi>}
      tabTitle={title}
      lead={
        <TextLink to="/console/webhooks" onClick={comeBack}>
          {webhooks.back}
        </TextLink>
      }
    >
      <Loaded query={list} skeleton={<Skeleton rows={5} />}>
        {() => {
          if (!row) return <Notice look="info">{webhooks.gone}</Notice>
          return isSettled ? <Endpoint key={id} row={row} /> : <Skeleton rows={5} />
        }}
      </Loaded>
    </Page>
  )
}

interface Props {
  readonly row: Webhook
}

function Endpoint({ row }: Props) {
  const { webhooks } = useTexts()
  const { id, enabled } = row
  const navigate = useNavigateNext()
  return (
    <>
      {!enabled && <Notice look="info">{webhooks.offText}</Notice>}
      <Card title={webhooks.endpoint} action={<State row={row} />}>
        <div className="flex flex-col gap-5">
          <EndpointFacts row={row} />
          <Acts row={row} onRemoved={() => navigate('/console/webhooks')} />
        </div>
      </Card>
      <Place id="deliveries">
        <Card title={webhooks.deliveries}>
          <Deliveries webhookId={id} isOn={enabled} />
        </Card>
      </Place>
    </>
  )
}

function EndpointFacts({ row: { id, url, types, key, last_taken_at } }: Props) {
  const { webhooks, connecting, people } = useTexts()
  const number = useNumber()
  const [waiting, failed] = [useQuery(waitingDeliveriesQuery(id)), useQuery(failedDeliveriesQuery(id))]
  const count = (status: 'pending' | 'failed', total = 0) => (
    <TextLink to={`/console/webhooks/${id}?${new URLSearchParams({ status })}`}>{number(total)}</TextLink>
  )
  return (
    <Facts
      facts={[
        [
          webhooks.url,
          <span key="url" className="flex flex-wrap items-center gap-2">
            <code className="line-clamp-3 text-small">{url}</code>
            <CopyButton text={url} label={connecting.copy(webhooks.url)} />
          </span>,
        ],
        [
          webhooks.types,
          types.length === 0 ? webhooks.allTypes : types.map((type) => wordOf(webhooks.events, type)).join(', '),
        ],
        [webhooks.states.pending, count('pending', waiting.data?.total)],
        [webhooks.states.failed, count('failed', failed.data?.total)],
        [webhooks.lastTaken, last_taken_at === null ? people.none : <Time key="taken" at={last_taken_at} />],
        key !== null && [webhooks.key, <code key="key">{key}</code>],
      ]}
    />
  )
}

interface ActsProps extends Props {
  onRemoved(): void
}

function Acts({ row, onRemoved }: ActsProps) {
  const { id, url, enabled, former_secret_until } = row
  const { webhooks } = useTexts()
  const [secret, setSecret] = useState<string>()
  const refreshes = [consoleKeys.webhooks]
  const test = useAct({ act: () => call('/api/admin/test_webhook', { id }), refreshes })
  const change = useAct({
    act: () => call('/api/admin/update_webhook', { id, enabled: !enabled }),
    refreshes,
  })
  const buttons = [
    { key: 'test', label: webhooks.test, act: test },
    { key: 'switch', label: enabled ? webhooks.switchOff : webhooks.switchOn, act: change },
  ]
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {buttons.map(({ key, label, act }) => (
          <Button
            key={key}
            size="small"
            look={key === 'test' ? 'primary' : 'quiet'}
            isPending={act.isPending}
            aria-label={`${label}: ${url}`}
            onPress={() => act.mutate()}
          >
            {label}
          </Button>
        ))}
        <ChooseEvents row={row} />
        {row.key === null && <GiveKey row={row} />}
        <ConfirmedAct
          size="small"
          look="quiet"
          label={webhooks.rotate}
          name={`${webhooks.rotate}: ${url}`}
          title={webhooks.rotateTitle}
          text={webhooks.rotateText}
          act={async () => setSecret((await call('/api/admin/rotate_webhook_secret', { id })).secret)}
          refreshes={refreshes}
        >
          {former_secret_until !== null && <Notice look="warning">{webhooks.rotateTwiceText}</Notice>}
        </ConfirmedAct>
        <Remove row={row} onRemoved={onRemoved} />
      </div>
      {test.data && (
        <Notice look={test.data.status === 'delivered' ? 'done' : 'warning'} title={webhooks.tested}>
          {failureWords(webhooks, test.data) ?? webhooks.taken(test.data.answer_code ?? 0, test.data.milliseconds ?? 0)}
        </Notice>
      )}
      {secret && <Secret secret={secret} />}
      <Failure error={test.error ?? change.error} />
    </>
  )
}

function ChooseEvents({ row: { id, url, types } }: Props) {
  const { webhooks, common } = useTexts()
  return (
    <FormAct
      size="small"
      look="quiet"
      label={webhooks.choose}
      name={`${webhooks.choose}: ${url}`}
      title={webhooks.chooseTitle}
      text={webhooks.chooseText}
      action={webhooks.chooseAction}
      schema={z.object({ types: chosenEvents(webhooks) })}
      initial={{ types: chosenOf(types, webhooks) }}
      draft={`webhook:${id}`}
      isEdit
      act={({ types: chosen }) => call('/api/admin/update_webhook', { id, types: chosen ?? [] })}
      done={common.saved}
      refreshes={[consoleKeys.webhooks]}
    >
      {(form) => <EventsField {...form.field('types')} />}
    </FormAct>
  )
}

function GiveKey({ row: { id, url } }: Props) {
  const { webhooks, common } = useTexts()
  return (
    <FormAct
      size="small"
      look="quiet"
      label={webhooks.giveKey}
      name={`${webhooks.giveKey}: ${url}`}
      title={webhooks.giveKey}
      text={webhooks.keyText}
      action={webhooks.giveKey}
      schema={z.object({ key: z.string().check(z.regex(/^[a-z0-9-]{1,40}$/, webhooks.keyText)) })}
      initial={{ key: '' }}
      draft={`webhook-key:${id}`}
      invalid={{ key: webhooks.keyText }}
      act={({ key }) => call('/api/admin/update_webhook', { id, key })}
      done={common.saved}
      refreshes={[consoleKeys.webhooks]}
    >
      {(form) => <TextField {...form.field('key')} label={webhooks.key} mono />}
    </FormAct>
  )
}

function Remove({ row: { id, url }, onRemoved }: ActsProps) {
  const { webhooks, common } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={common.remove}
      name={`${common.remove}: ${url}`}
      title={webhooks.removeTitle}
      text={webhooks.removeText}
      act={() => call('/api/admin/delete_webhook', { id })}
      done={webhooks.removed}
      isForNextPage
      onDone={onRemoved}
      refreshes={[consoleKeys.webhooks]}
    />
  )
}
