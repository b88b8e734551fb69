import { useQueries, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { shownNameOf } from '../../own-name.ts'
import { Link } from '../../routing/router.tsx'
import { latestQuery } from '../../server/notifications.ts'
import { useSignedIn } from '../../server/session.ts'
import { catalogue } from '../../texts/catalogue.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { buttonClass } from '../../ui/controls/button.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { areSettled } from '../../ui/lists/settled.ts'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { useIsBranded } from '../../ui/logo.tsx'
import { Page } from '../../ui/page.tsx'
import { connectionsQuery, overviewQuery, partQuery } from '../console/queries.ts'
import { NotificationRow } from '../notification-row.tsx'
import { accountsQuery } from '../settings/queries.ts'
import { Figures } from './figures.tsx'
import { isStepHidden } from './hidden-step.ts'
import { HomeNotices } from './home-notices.tsx'

/** Fetched by the administrator only, with its words. */
const NextStep = lazy(async () => {
  const fetched = Promise.all([import('./next-step.tsx'), catalogue.open('firstHour')])
  // The page is complete without the hint.
  return { default: await fetched.then(([{ NextStep }]) => NextStep).catch(() => () => null) }
})

export function Home() {
  const { home } = useTexts()
  const { user } = useSignedIn()
  const name = shownNameOf(user)
  return (
    <Page title={<SentenceWith sentence={home.title} words={name} />} tabTitle={home.title(name)} lead={home.lead}>
      {user.role === 'administrator' ? (
        <Suspense fallback={<Skeleton rows={5} />}>
          <HomeOfAdministrator />
        </Suspense>
      ) : (
        <Everyday />
      )}
    </Page>
  )
}

/** Begins once it is known what is still to do, so that nothing moves when that appears above the rest. */
function HomeOfAdministrator() {
  const [isStepShown] = useState(() => !isStepHidden())
  const ofStep = isStepShown ? [overviewQuery, partQuery('brand'), connectionsQuery] : []
  const isSettled = areSettled(useQueries({ queries: [accountsQuery, ...ofStep] }))
  return isSettled ? <Everyday step={isStepShown && <NextStep />} /> : <Skeleton rows={5} />
}

function Everyday({ step }: { readonly step?: ReactNode }) {
  return (
    <>
      <HomeNotices />
      {step}
      <Figures />
      <Latest />
      <FeedbackBand />
    </>
  )
}

function Latest() {
  const { home, notifications } = useTexts()
  const latest = useQuery(latestQuery)
  return (
    <Card title={home.latest} action={<TextLink to="/notifications">{home.all}</TextLink>}>
      <Loaded query={latest}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="bell" title={notifications.emptyTitle} text={notifications.emptyText} />
          ) : (
            <ul className="-my-1 divide-y divide-line">
              {items.map((notification) => (
                <NotificationRow key={notification.id} notification={notification} heading="h3" />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function FeedbackBand() {
  const { home, feedback } = useTexts()
  const isBranded = useIsBranded()
  return (
    <section className="relative flex flex-wrap items-center justify-between gap-x-8 gap-y-4 overflow-hidden rounded-lg border border-transparent bg-accent-soft px-5 py-6 sm:px-6">
      {!isBranded && <Rings className="absolute top-3 right-52 h-56 text-accent opacity-25 max-md:hidden" />}
      <div className="relative">
        <h2 className="font-semibold">{home.feedbackTitle}</h2>
        <p className="mt-0.5 text-ink-soft">{feedback.lead}</p>
      </div>
      <Link to="/feedback" className={buttonClass({})}>
        {home.feedbackAction}
      </Link>
    </section>
  )
}

function Rings({ className }: { readonly className: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 200 160" className={className} fill="none" stroke="currentColor">
      {[30, 50, 70, 90].map((radius) => (
        <path key={radius} d={`M${100 - radius} 160V100a${radius} ${radius} 0 0 1 ${2 * radius} 0v60`} />
      ))}
    </svg>
  )
}
