import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { ApiError, call, type Input } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { consoleKeys, filterNames, isFailing, webhooksQuery } from '../queries.ts'
import { Endpoint, type Pressed } from './endpoint.tsx'
import { Endpoints } from './endpoints.tsx'
import { chosenEvents, EventsField } from './events-field.tsx'
import { Secret } from './secret.tsx'

export function ConsoleWebhooks() {
  const { webhooks } = useTexts()
  const { open, set, setOpen } = useFilters(filterNames.deliveries)
  const [pressed, setPressed] = useState<Pressed>()
  const list = useQuery(webhooksQuery)
  const isSettled = useDeferredValue(areSettled([list]))
  const items = list.data?.items ?? []
  const failing = items.filter(isFailing).length
  const opened = items.find(({ id }) => id === open)
  return (
    <Page title={webhooks.title} lead={webhooks.lead}>
      {failing > 0 && (
        <Notice look="warning" title={webhooks.failingTitle(failing)}>
          {webhooks.failingText}
        </Notice>
      )}
      <Endpoints
        query={list}
        asked={opened ? undefined : open}
        onOpen={(id) => {
          setPressed({ id })
          set('open', id)
        }}
      />
      {isSettled && <Create />}
      {opened && (
        <Endpoint
          key={opened.id}
          row={opened}
          pressed={pressed?.id === opened.id ? pressed : undefined}
          onRemoved={() => setOpen(undefined)}
        />
      )}
    </Page>
  )
}

function Create() {
  const { webhooks } = useTexts()
  const create = useAct({
    act: (sent: Input<'/api/admin/create_webhook'>) => call('/api/admin/create_webhook', sent),
    refreshes: [consoleKeys.webhooks],
  })
  const form = useForm({
    schema: z.object({ url: z.url(webhooks.urlProblem), types: chosenEvents(webhooks) }),
    initial: { url: '', types: null },
    error: create.error,
    refusals: isUrlRefused(create.error) ? { INVALID_REQUEST: ['url', webhooks.urlRefused] } : {},
    draft: 'webhook',
    onSend: ({ url, types }) => create.mutate({ url, types: types ?? [] }, { onSuccess: () => form.clear() }),
  })
  return (
    <Card title={webhooks.add}>
      <form {...form.props} className="flex flex-col items-start gap-4">
        <div className="w-full">
          <TextField
            {...form.field('url')}
            label={webhooks.url}
            type="url"
            placeholder="https://example.com/hook"
          />
        </div>
        <EventsField {...form.field('types')} />
        <Button type="submit" look="primary" isPending={create.isPending}>
          {webhooks.addAction}
        </Button>
      </form>
      {create.data && <Secret secret={create.data.secret} />}
      <div className="mt-4 empty:hidden">
        <Failure error={form.failure} />
      </div>
    </Card>
  )
}

function isUrlRefused(error: Error | null): boolean {
  return error instanceof ApiError && error.issues.some(({ path }) => path === 'url')
}
