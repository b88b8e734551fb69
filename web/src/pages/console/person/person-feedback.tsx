import { useQuery } from '@tanstack/react-query'
import { visibleText } from '../../../own-name.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { feedbackLooks } from '../feedback/looks.ts'
import { latestFeedbackQuery, type Person } from './queries.ts'

/** The user's latest feedback. */
export function PersonFeedback({ user: { id } }: { readonly user: Person }) {
  const { inbox, person } = useTexts()
  const query = useQuery(latestFeedbackQuery(id))
  return (
    <Card
      title={inbox.title}
      action={
        (query.data?.total ?? 0) > 0 && <TextLink to={`/console/feedback?user_id=${id}`}>{person.allFeedback}</TextLink>
      }
    >
      <Loaded query={query}>
        {({ items }) => (
          <Rows
            items={items}
            none={person.feedbackNone}
            keyOf={(row) => row.id}
            className="flex items-start gap-4 py-2.5"
          >
            {(row) => (
              <>
                <span className="line-clamp-3 min-w-0 grow">
                  <PersonText>{visibleText(row.content)}</PersonText>
                </span>
                <Badge look={feedbackLooks[row.status]}>{inbox.statuses[row.status]}</Badge>
                <Time at={row.created_at} />
              </>
            )}
          </Rows>
        )}
      </Loaded>
    </Card>
  )
}
