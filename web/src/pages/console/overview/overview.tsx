import { useQuery } from '@tanstack/react-query'
import { Link } from '../../../routing/router.tsx'
import type { Output } from '../../../server/api.ts'
import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { useDate } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Page } from '../../../ui/page.tsx'
import { watchedOverviewQuery, webhooksQuery } from '../queries.ts'
import { FailingWebhooks } from './failing-webhooks.tsx'
import { Figures } from './figures.tsx'
import { FirstHour } from './first-hour.tsx'
import { useIsFirstHourLoaded } from './first-hour-steps.ts'
import { MailTrouble } from './mail-trouble.tsx'
import { StoreTrouble } from './store-trouble.tsx'
import { Troubles } from './troubles.tsx'

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
      <StoreTrouble stores={data.stores} />
      <Troubles troubles={data.troubles} />
      <MailTrouble {...data} />
      <FailingWebhooks action={<TextLink to="/console/webhooks">{webhooks.title}</TextLink>} />
      <FirstHour users={data.users} />
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        <Figure name={overview.users} value={data.users} to="/console/users" />
        <Figure name={overview.newFeedback} value={data.new_feedbacks} to="/console/feedback?status=new" />
        <Figure name={overview.notifications} value={data.notifications} to="/console/notifications" />
        <Figure
          name={overview.mail}
          value={data.mails_waiting}
          to="/console/settings/email"
          {...(data.mails_failing > 0 && { warning: overview.mailFailing(data.mails_failing) })}
        />
        {data.deliveries_waiting > 0 && (
          <Figure name={overview.deliveries} value={data.deliveries_waiting} to="/console/webhooks" />
        )}
      </div>
      <Figures />
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

interface FigureProps {
  readonly name: string
  /** Null if it is not known now. */
  readonly value: number | null
  readonly to: string
  readonly warning?: string
}

function Figure({ name, value, to, warning }: FigureProps) {
  const { overview } = useTexts()
  const number = useNumber()
  return (
    <Link
      to={to}
      className="block rounded-lg border border-line bg-surface p-5 shadow-card transition-colors hover:border-line-strong"
    >
      <span className="block text-small text-ink-soft">{name}</span>
      <span className="tabular mt-1 block font-semibold text-figure leading-none tracking-[-0.02em]">
        {value === null ? overview.unknownFigure : number(value)}
      </span>
      {warning && <span className="mt-2 block text-tiny text-warning">{warning}</span>}
    </Link>
  )
}
