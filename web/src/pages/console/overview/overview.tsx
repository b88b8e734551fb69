import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { useDate } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { figuresQuery, watchedOverviewQuery, webhooksQuery } from '../queries.ts'
import { FailingWebhooks } from './failing-webhooks.tsx'
import { Figures } from './figures.tsx'
import { FirstHour } from './first-hour.tsx'
import { useIsFirstHourLoaded } from './first-hour-steps.ts'
import { Latest } from './latest.tsx'
import { MailTrouble } from './mail-trouble.tsx'
import { StoreTrouble } from './store-trouble.tsx'
import { Tile } from './tile.tsx'

type Overview = Output<'/api/admin/get_overview'>

export function ConsoleOverview() {
  const { overview } = useTexts()
  const summary = useQuery(watchedOverviewQuery)
  const isFirstHourLoaded = useIsFirstHourLoaded()
  const isSettled = areSettled([useQuery(webhooksQuery)]) && isFirstHourLoaded
  return (
    <Page title={overview.title} lead={overview.lead}>
      <Loaded query={summary} skeleton={<Skeleton rows={5} />}>
        {(data) =>
          isSettled ? <OverviewStatus data={data} checkedAt={summary.dataUpdatedAt} /> : <Skeleton rows={5} />
        }
      </Loaded>
    </Page>
  )
}

interface StatusProps {
  readonly data: Overview
  readonly checkedAt: number
}

function OverviewStatus({ data, checkedAt }: StatusProps) {
  const { overview, webhooks } = useTexts()
  const date = useDate()
  return (
    <>
      <section aria-label={overview.faults} className="flex flex-col gap-2 empty:hidden">
        <StoreTrouble stores={data.stores} />
        <Troubles troubles={data.troubles} />
        <MailTrouble
          {...data}
          action={<TextLink to="/console/settings/email">{overview.mailTroubleAction}</TextLink>}
        />
        <FailingWebhooks action={<TextLink to="/console/webhooks">{webhooks.title}</TextLink>} />
      </section>
      <FirstHour users={data.users} isFolded={data.mail_works} />
      <Tiles data={data} />
      <Figures />
      <Latest />
      <Card title={overview.stores} lead={overview.storesLead(date(checkedAt))}>
        <ul className="grid gap-x-8 sm:grid-cols-2">
          {data.stores.map(({ name, state }) => (
            <li
              key={name}
              className="flex items-center justify-between gap-4 border-line not-first:border-t py-3 sm:nth-2:border-t-0"
            >
              <span className="font-medium">{name}</span>
              <Badge look={state === 'up' ? 'accent' : 'danger'}>{overview[state]}</Badge>
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

const week = 7
const sumOf = (days: readonly number[]) => days.reduce((sum, count) => sum + count, 0)

function Tiles({ data }: { readonly data: Overview }) {
  const { overview } = useTexts()
  const { data: figures } = useQuery(figuresQuery(30))
  const countsOf = (days: readonly { readonly count: number }[]) => days.map(({ count }) => count)
  const [signUps, feedbacks] = [countsOf(data.sign_ups), countsOf(data.feedbacks)]
  const { mails_waiting, mails_failing, deliveries_waiting } = data
  const waiting = mails_waiting + deliveries_waiting
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
      <Tile
        name={overview.users}
        value={data.users}
        to="/console/users"
        days={signUps}
        note={overview.inWeek(sumOf(signUps.slice(-week)), sumOf(signUps.slice(-2 * week, -week)))}
      />
      <Tile
        name={overview.activeWeek}
        value={data.active_week}
        to="/console/users?signed_in=7d"
        days={figures?.days.map(({ people }) => people) ?? []}
        note={overview.weekBefore(data.active_week_before)}
      />
      <Tile
        name={overview.newFeedback}
        value={data.new_feedbacks}
        to="/console/feedback?status=new"
        days={feedbacks}
        note={overview.inWeek(sumOf(feedbacks.slice(-week)), sumOf(feedbacks.slice(-2 * week, -week)))}
      />
      <Tile
        name={overview.waiting}
        value={waiting}
        to={mails_waiting === 0 && deliveries_waiting > 0 ? '/console/webhooks' : '/console/settings/email'}
        note={
          mails_failing > 0
            ? overview.mailFailing(mails_failing)
            : overview.waitingOf(mails_waiting, deliveries_waiting)
        }
        isWarning={mails_failing > 0}
      />
    </div>
  )
}

type Trouble = Output<'/api/admin/get_overview'>['troubles'][number]

/** Uses the words of the log and of `gatehouse doctor`: they are for the same person on the same host. */
function Troubles({ troubles }: { readonly troubles: readonly Trouble[] }) {
  const { overview } = useTexts()
  if (troubles.length === 0) return null
  return (
    <Notice look="danger" title={overview.troublesTitle(troubles.length)}>
      <ul className="mt-1 flex flex-col gap-1" lang="en">
        {troubles.map(({ about, words }) => (
          <li key={words}>
            <span className="font-medium text-ink">{about}</span>: {withCommands(words)}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function withCommands(words: string) {
  return words.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))
}
