import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../texts/texts.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { isFailing, webhooksQuery } from '../queries.ts'

/** Shown on the console's first page, not only on the page of webhooks. */
export function FailingWebhooks() {
  const { webhooks } = useTexts()
  const { data } = useQuery(webhooksQuery)
  const failing = data?.items.filter(isFailing).length ?? 0
  if (failing === 0) return null
  return (
    <Notice
      look="warning"
      title={webhooks.failingTitle(failing)}
      action={<TextLink to="/console/webhooks">{webhooks.title}</TextLink>}
    >
      {webhooks.failingText}
    </Notice>
  )
}
