import { useState } from 'react'
import { useAct } from '../../../server/act.ts'
import { call, type Input } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { say } from '../../../toasts.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import { wordsOf } from '../../../ui/messages/failure.tsx'
import { consoleKeys } from '../queries.ts'
import type { DeliveryRow } from '../rows.ts'

export const TEST = 'webhook.test'

/** Tests are not sent again. */
export const canBeSentAgain = ({ items, total }: { readonly items: readonly DeliveryRow[]; readonly total: number }) =>
  total > items.length || items.some(({ type }) => type !== TEST)

export function useAgain(onSent: () => void) {
  const texts = useTexts()
  return useAct({
    act: (input: Input<'/api/admin/redeliver'>) => call('/api/admin/redeliver', input),
    done: ({ count }) => texts.webhooks.sentAgain(count),
    onDone: onSent,
    onFailed: (error) => say(wordsOf(texts, error), { isFailure: true }),
    refreshes: [consoleKeys.webhooks],
  })
}

export function useBulkActs(onSent: () => void): readonly BulkAct<DeliveryRow>[] {
  const { webhooks } = useTexts()
  return [
    {
      label: webhooks.sendAgain,
      done: webhooks.sentAgain,
      refreshes: [consoleKeys.webhooks],
      isFor: ({ type }) => type !== TEST,
      act: ({ id }) => call('/api/admin/redeliver', { id }).then(onSent),
    },
  ]
}

const HOURS = { day: 24, week: 168 } as const

interface FailedAgainProps {
  readonly webhookId: string
  onSent(): void
}

export function FailedAgain({ webhookId, onSent }: FailedAgainProps) {
  const { webhooks } = useTexts()
  const again = useAgain(onSent)
  const [since, setSince] = useState<keyof typeof webhooks.sinces>('all')
  const moment = () => (since === 'all' ? 0 : Date.now() - HOURS[since] * 3_600_000)
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="min-w-0 basis-56">
        <Select label={webhooks.since} value={since} options={webhooks.sinces} onChange={setSince} />
      </div>
      <Button
        isPending={again.isPending}
        onPress={() => again.mutate({ webhook_id: webhookId, failed_since: moment() })}
      >
        {webhooks.sendAllAgain}
      </Button>
    </div>
  )
}
