import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { latestQuery } from '../queries.ts'

type Row = Output<'/api/admin/list_latest'>['items'][number]

const icons = { sign_up: 'user', refusal: 'shield', feedback: 'inbox', assistant: 'sparkle' } as const

const linkOf = ({ kind, id, user_id }: Row): string => {
  if (kind === 'feedback') return `/console/feedback?open=${id}`
  if (kind === 'refusal') return '/console/audit?action=user.sign_in_refused'
  return `/console/users/${user_id}`
}

/** What has happened last, as it happens. */
export function Latest() {
  const { overview } = useTexts()
  const query = useQuery(latestQuery)
  return (
    <Card title={overview.latest} lead={overview.latestLead}>
      <Loaded query={query} skeleton={<Skeleton rows={5} />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-ink-soft">{overview.latestNone}</p>
          ) : (
            <ol aria-label={overview.latest} className="-my-2 divide-y divide-line">
              {items.map((row) => (
                <li key={`${row.kind} ${row.id}`} className="flex items-baseline gap-3 py-2.5">
                  <Icon name={icons[row.kind]} className="size-4 shrink-0 translate-y-0.5 text-ink-soft" />
                  <p className="wrap-anywhere min-w-0 flex-1">
                    <What row={row} />
                  </p>
                  <span className="shrink-0 text-small text-ink-soft">
                    <Time at={row.at} />
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  )
}

function What({ row }: { readonly row: Row }) {
  const { overview, audit, approvals, failures } = useTexts()
  const { kind, action, who, text } = row
  const said = {
    sign_up: overview.signedUp,
    refusal: action === null ? '' : `· ${wordOf(audit.actions, action)}`,
    feedback: overview.wroteFeedback,
    assistant: action === null ? '' : `· ${wordOf(approvals.actions, action)}`,
  }[kind]
  const more = kind === 'refusal' ? wordOf(failures, text) : text
  return (
    <>
      <TextLink to={linkOf(row)}>
        <PersonText>{who || overview.somebody}</PersonText>
      </TextLink>{' '}
      {said}
      {more && (
        <span className="block truncate text-ink-soft">
          <bdi>{more}</bdi>
        </span>
      )}
    </>
  )
}
