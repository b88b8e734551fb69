import { useQuery } from '@tanstack/react-query'
import { filtersOf } from '../routing/filters.ts'
import { useSearchParams } from '../routing/router.tsx'
import { ownFeedbackPageSize, ownFeedbackQuery } from '../server/own-feedback.ts'
import { useTexts } from '../texts/texts.tsx'
import { Card } from '../ui/card.tsx'
import { Badge } from '../ui/facts/badge.tsx'
import { PersonProse } from '../ui/facts/person-text.tsx'
import { Time } from '../ui/facts/time.tsx'
import { Loaded } from '../ui/lists/loaded.tsx'
import { Pager } from '../ui/lists/pager.tsx'
import { Rows } from '../ui/lists/rows.tsx'
import { Skeleton } from '../ui/lists/skeleton.tsx'

/** The user's own feedback, each with its status and the answer. */
export function OwnFeedback() {
  const { feedback } = useTexts()
  const [search, setSearch] = useSearchParams()
  const { page } = filtersOf(search, [])
  const list = useQuery(ownFeedbackQuery(page))
  return (
    <Card title={feedback.own}>
      <Loaded query={list} skeleton={<Skeleton rows={2} />}>
        {({ items, total }) => (
          <>
            <Rows items={items} none={feedback.ownNone} keyOf={({ id }) => id} className="flex flex-col gap-2 py-4">
              {(item) => (
                <>
                  <div className="flex flex-wrap items-center gap-x-4 text-small text-ink-soft">
                    <Badge look={item.status === 'done' ? 'plain' : 'accent'}>{feedback.statuses[item.status]}</Badge>
                    <Time at={item.created_at} />
                  </div>
                  <PersonProse text={item.content} />
                  {item.replied_at !== null && (
                    <section className="border-line-strong border-s-2 ps-4">
                      <h3 className="flex flex-wrap gap-x-4 font-semibold text-compact">
                        {feedback.answer} <Time at={item.replied_at} />
                      </h3>
                      <PersonProse text={item.reply} />
                    </section>
                  )}
                </>
              )}
            </Rows>
            <Pager
              page={page}
              pageSize={ownFeedbackPageSize}
              total={total}
              onChange={(next) => setSearch({ page: String(next) })}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
