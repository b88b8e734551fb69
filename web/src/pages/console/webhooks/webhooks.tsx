import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { Navigate, useSearchParams } from '../../../routing/router.tsx'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Form } from '../../../ui/form.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Page } from '../../../ui/page.tsx'
import { FailingWebhooks } from '../overview/failing-webhooks.tsx'
import { consoleKeys, webhooksQuery } from '../queries.ts'
import { Endpoints } from './endpoints.tsx'
import { chosenEvents, EventsField } from './events-field.tsx'
import { Secret } from './secret.tsx'

export function ConsoleWebhooks() {
  const { webhooks } = useTexts()
  const [search] = useSearchParams()
  const list = useQuery(webhooksQuery)
  const isSettled = useDeferredValue(areSettled([list]))
  const open = search.get('open')
  // Links from before an endpoint had a page of its own.
  if (open) return <Navigate to={`/console/webhooks/${encodeURIComponent(open)}`} replace />
  return (
    <Page title={webhooks.title} lead={webhooks.lead}>
      <FailingWebhooks />
      <Endpoints query={list} />
      {isSettled && <Create />}
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
