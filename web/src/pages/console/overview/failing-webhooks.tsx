import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../texts/texts.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { isFailing, webhooksQuery } from '../queries.ts'

/** Shown on the console's first page, not only on the page of webhooks. */
export function FailingWebhooks() {
  const { webhooks } = useTexts()
  const { data } = useQuery(webhooksQuery)
  if (!data?.items.some(isFailing)) return null
  return (
    <Notice
      look="warning"
      title={webhooks.failingTitle}
      action={<TextLink to="/console/webhooks">{webhooks.title}</TextLink>}
    >
      {webhooks.failingText}
    </Notice>
  )
}
