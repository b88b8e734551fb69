import { useQuery } from '@tanstack/react-query'
import { useAct } from '../../server/act.ts'
import { call, type Input } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { wordOf } from '../../texts/word-of.ts'
import { Card } from '../../ui/card.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { preferencesQuery } from './queries.ts'

/** The notifications that are also sent by email; the list of notifications is the same whatever is chosen. */
export function Preferences() {
  const { common, preferences: words } = useTexts()
  const list = useQuery(preferencesQuery)
  const save = useAct({
    act: (sent: Input<'/api/update_notification_preferences'>) => call('/api/update_notification_preferences', sent),
    done: common.saved,
    refreshes: [preferencesQuery.queryKey],
  })
  return (
    <Card title={words.title} lead={words.lead}>
      <Loaded query={list} skeleton={<Skeleton rows={2} />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-ink-soft">{words.none}</p>
          ) : (
            <div className="flex max-w-md flex-col gap-4">
              {items.map(({ type, email }) => (
                <Select
                  key={type}
                  label={<bdi className="wrap-anywhere">{wordOf(words.types, type)}</bdi>}
                  value={email}
                  options={words.choices}
                  onChange={(chosen) => save.mutate({ items: [{ type, email: chosen }] })}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      <Failure error={save.error} />
    </Card>
  )
}
