import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { visibleText } from '../../../own-name.ts'
import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { AuditDetails } from '../audit/audit-words.tsx'
import { type Person, type TimeLineItem, timeLineQuery, timeLineStep } from './queries.ts'

const most = 100
const icons = {
  act: 'clock',
  credit: 'coins',
  feedback: 'message',
  message: 'mail',
  'sign-up': 'user',
} as const satisfies Record<TimeLineItem['what']['kind'], IconName>

/** The history of one user, from the sign-up on: four lists in one order. */
export function TimeLine({ user }: { readonly user: Person }) {
  const { person } = useTexts()
  const [shown, setShown] = useState(timeLineStep)
  const [kind, setKind] = useState<keyof typeof person.kinds>('all')
  const timeLine = useQuery({ ...timeLineQuery(user.id, shown), placeholderData: keepPreviousData })
  return (
    <Card
      title={person.timeLine}
      lead={person.timeLineLead}
      footer={<TextLink to={`/console/audit?user_id=${user.id}`}>{person.fullLog}</TextLink>}
    >
      <div className="mb-4 max-w-64">
        <Select label={person.timeLine} isLabelHidden value={kind} options={person.kinds} onChange={setKind} />
      </div>
      <Loaded query={timeLine}>
        {({ items, isMore }) => (
          <>
            <Items
              items={[...items, ...(isMore ? [] : [signUpOf(user)])].filter(
                ({ what }) => kind === 'all' || groupOf(what) === kind,
              )}
            />
            {isMore && shown < most && (
              <Button
                size="small"
                isPending={timeLine.isPlaceholderData}
                onPress={() => setShown(Math.min(shown + timeLineStep, most))}
              >
                {person.more}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** The oldest entry, so it waits until the lists are read to their ends. */
const signUpOf = ({ created_at: at }: Person): TimeLineItem => ({
  key: 'sign-up',
  at,
  what: { kind: 'sign-up' },
})

const groupOf = ({ kind }: TimeLineItem['what']) => (kind === 'sign-up' ? 'act' : kind)

function Items({ items }: { readonly items: readonly TimeLineItem[] }) {
  const { person } = useTexts()
  if (items.length === 0) return <p className="text-ink-soft">{person.timeLineNone}</p>
  return (
    <ol className="mb-3 flex flex-col">
      {items.map(({ key, at, what }) => (
        <li key={key} className="flex gap-3 border-line border-l pb-4 pl-4 last:pb-0">
          <span className="-ml-[1.7rem] grid size-5 shrink-0 place-items-center rounded-full bg-surface text-ink-soft">
            <Icon name={icons[what.kind]} className="size-3.5" />
          </span>
          <div className="min-w-0 grow">
            <What what={what} />
          </div>
          <span className="shrink-0 text-small text-ink-soft">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ol>
  )
}

function What({ what }: Pick<TimeLineItem, 'what'>) {
  const { person } = useTexts()
  if (what.kind === 'act') return <ActOf {...what} />
  if (what.kind === 'sign-up') return <p className="font-medium">{person.signedUp}</p>
  if (what.kind === 'credit') return <GotCredits {...what} />
  return (
    <>
      <p className="font-medium">{what.kind === 'feedback' ? person.wrote : person.received}</p>
      <p className="line-clamp-2 text-small text-ink-soft">
        <PersonText>{visibleText(what.kind === 'feedback' ? what.content : what.title)}</PersonText>
      </p>
    </>
  )
}

function ActOf({ entry, isOwn }: Extract<TimeLineItem['what'], { kind: 'act' }>) {
  const { audit, person } = useTexts()
  return (
    <>
      <p className="font-medium">{wordOf(audit.actions, entry.action)}</p>
      <p className="wrap-anywhere text-small text-ink-soft">
        {[!isOwn && entry.actor_id !== null && person.byAdministrator, entry.ip].filter(Boolean).join(', ')}
      </p>
      <AuditDetails details={entry.details} />
    </>
  )
}

function GotCredits({ amount, source }: Extract<TimeLineItem['what'], { kind: 'credit' }>) {
  const { person } = useTexts()
  const signed = useNumber({ signDisplay: 'exceptZero' })
  return (
    <>
      <p className="font-medium">{person.gotCredits(signed(amount))}</p>
      <p className="text-small text-ink-soft">
        <PersonText>{wordOf(person.sources, source)}</PersonText>
      </p>
    </>
  )
}
