import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { focusHeading } from '../../../lost-focus.ts'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { consoleKeys } from '../queries.ts'
import { Deliveries } from './deliveries.tsx'
import type { Webhook } from './endpoints.tsx'
import { chosenEvents, chosenOf, EventsField } from './events-field.tsx'
import { failureWords } from './failure-words.ts'
import { Secret } from './secret.tsx'

/** One press of an endpoint in the list; another press is another object. */
export interface Pressed {
  readonly id: string
}

interface Props {
  readonly row: Webhook
  /** The list can be far above, so each press moves the focus here. */
  readonly pressed: Pressed | undefined
  onRemoved(): void
}

/** One endpoint: what can be done with it, and what was sent to it. */
export function Endpoint({ row, pressed, onRemoved }: Props) {
  const { webhooks } = useTexts()
  const { id, url, types, enabled } = row
  const whole = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!pressed || !whole.current) return
    focusHeading([whole.current])
    whole.current.scrollIntoView({ block: 'nearest' })
  }, [pressed])
  return (
    <div ref={whole}>
      <Card
        title={new URL(url).host}
        lead={
          <>
            <span className="wrap-anywhere line-clamp-3">{url}</span>
            {types.length === 0 ? webhooks.allTypes : types.map((type) => wordOf(webhooks.events, type)).join(', ')}
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <Acts row={row} onRemoved={onRemoved} />
          {!enabled && <Notice look="info">{webhooks.offText}</Notice>}
          <Deliveries webhookId={id} isOn={enabled} />
        </div>
      </Card>
    </div>
  )
}

function Acts({ row, onRemoved }: Omit<Props, 'pressed'>) {
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

function ChooseEvents({ row: { id, url, types } }: Pick<Props, 'row'>) {
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

function GiveKey({ row: { id, url } }: Pick<Props, 'row'>) {
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

function Remove({ row: { id, url }, onRemoved }: Omit<Props, 'pressed'>) {
  const { webhooks, common } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={common.remove}
      name={`${common.remove}: ${url}`}
      title={webhooks.removeTitle}
      text={webhooks.removeText}
      act={async () => {
        await call('/api/admin/delete_webhook', { id })
        onRemoved()
      }}
      refreshes={[consoleKeys.webhooks]}
    />
  )
}
