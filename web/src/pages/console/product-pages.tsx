import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { PersonText } from '../../ui/facts/person-text.tsx'
import { Time } from '../../ui/facts/time.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { latestFeedbackQuery, productPagesQuery } from './queries.ts'

/** Shows whether the elements work: where they were loaded, and the newest feedback as it arrives. */
export function ProductPages() {
  const { connecting: words } = useTexts()
  const pages = useQuery(productPagesQuery)
  const feedback = useQuery(latestFeedbackQuery)
  return (
    <div className="mt-4 grid gap-4 sm:grid-cols-2">
      <Part title={words.seen}>
        <Loaded query={pages}>
          {({ items }) => (
            <div role="status">
              <Seen pages={items} />
            </div>
          )}
        </Loaded>
      </Part>
      <Part title={words.latestFeedback}>
        <Loaded query={feedback}>
          {({ items }) => (
            <div role="status">
              <Latest feedback={items[0]} />
            </div>
          )}
        </Loaded>
      </Part>
    </div>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 text-small">
      <h3 className="mb-1 font-medium">{title}</h3>
      {children}
    </section>
  )
}

type Pages = Output<'/api/admin/list_product_pages'>['items']

function Seen({ pages }: { readonly pages: Pages }) {
  const { connecting: words } = useTexts()
  if (pages.length === 0) return <p className="text-ink-soft">{words.seenNowhere}</p>
  return (
    <ul className="flex flex-col gap-1">
      {pages.map(({ origin, is_listed, seen_at }) => (
        <li key={origin} className="wrap-anywhere">
          {origin}{' '}
          <span className={is_listed ? 'text-ink-soft' : 'text-warning'}>
            {seen_at === null ? (
              words.unseen
            ) : (
              <>
                {words.seenAt} <Time at={seen_at} />
              </>
            )}
            {!is_listed && <> · {words.unlisted}</>}
          </span>
        </li>
      ))}
    </ul>
  )
}

type Feedback = Output<'/api/admin/list_feedbacks'>['items'][number]

function Latest({ feedback }: { readonly feedback: Feedback | undefined }) {
  const { connecting: words } = useTexts()
  if (!feedback) return <p className="text-ink-soft">{words.noFeedback}</p>
  return (
    <>
      <p className="wrap-anywhere line-clamp-3">
        <PersonText>{feedback.content}</PersonText>
      </p>
      <p className="text-ink-soft">
        <Time at={feedback.created_at} /> · <TextLink to="/console/feedback">{words.toInbox}</TextLink>
      </p>
    </>
  )
}
