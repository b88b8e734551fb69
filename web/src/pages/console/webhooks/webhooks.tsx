import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Form } from '../../../ui/form.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { FailingWebhooks } from '../overview/failing-webhooks.tsx'
import { consoleKeys, filterNames, webhooksQuery } from '../queries.ts'
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
  const opened = items.find(({ id }) => id === open)
  return (
    <Page title={webhooks.title} lead={webhooks.lead}>
      <FailingWebhooks />
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
  const form = useForm({
    schema: z.object({ url: z.url(webhooks.urlProblem), types: chosenEvents(webhooks) }),
    initial: { url: '', types: null },
    invalid: { url: webhooks.urlRefused },
    draft: 'webhook',
    clears: true,
    act: ({ url, types }) => call('/api/admin/create_webhook', { url, types: types ?? [] }),
    refreshes: [consoleKeys.webhooks],
  })
  return (
    <Card title={webhooks.add}>
      <Form form={form} className="gap-4" place="start" submit={webhooks.addAction}>
        <TextField {...form.field('url')} label={webhooks.url} type="url" placeholder="https://example.com/hook" />
        <EventsField {...form.field('types')} />
      </Form>
      {form.got && <Secret secret={form.got.secret} />}
    </Card>
  )
}
