import { useQueries, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { shownNameOf } from '../../own-name.ts'
import { latestQuery } from '../../server/notifications.ts'
import { useSignedIn } from '../../server/session.ts'
import { catalogue } from '../../texts/catalogue.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { areSettled } from '../../ui/lists/settled.ts'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Page } from '../../ui/page.tsx'
import { connectionsQuery, overviewQuery, partQuery } from '../console/queries.ts'
import { NotificationRow } from '../notification-row.tsx'
import { accountsQuery } from '../settings/queries.ts'
import { FeedbackBand } from './feedback-band.tsx'
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
