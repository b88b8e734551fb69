import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../../../texts/texts.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { isFailing, webhooksQuery } from '../queries.ts'

/** Shown on the page of the webhooks, and on the console's first page. */
export function FailingWebhooks({ action }: { readonly action?: ReactNode }) {
  const { webhooks } = useTexts()
  const { data } = useQuery(webhooksQuery)
  const failing = data?.items.filter(isFailing).length ?? 0
  if (failing === 0) return null
  return (
    <Notice look="warning" title={webhooks.failingTitle(failing)} action={action}>
      {webhooks.failingText}
    </Notice>
  )
}
