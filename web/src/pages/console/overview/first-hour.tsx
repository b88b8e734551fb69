import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Link } from '../../../routing/router.tsx'
import { useClientConfig } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { accountsQuery } from '../../settings/queries.ts'
import { connectionsQuery, partQuery } from '../queries.ts'

interface Step {
  readonly name: string
  readonly text: string
  readonly to: string
  readonly isDone: boolean
}

/** What a new installation still needs; hidden once everything is done. */
export function FirstHour({ users }: { readonly users: number }) {
  const { firstHour } = useTexts()
  const { steps, failed } = useSteps(users)
  if (failed) {
    return (
      <Card title={firstHour.title}>
        <LoadFailure query={failed} />
      </Card>
    )
  }
  const done = steps?.filter(({ isDone }) => isDone).length ?? 0
  if (!steps || done === steps.length) return null
  return (
    <Card title={firstHour.title} lead={firstHour.lead(done, steps.length)}>
      <ol className="grid gap-2 sm:grid-cols-2">
        {steps.map((step) => (
          <li key={step.name} className="flex items-start gap-3 rounded-md border border-line p-3">
            <span
              className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-full border ${step.isDone ? 'border-accent bg-accent text-on-accent' : 'border-line-strong'}`}
            >
              {step.isDone && <Icon name="check" className="size-3.5" />}
            </span>
            <span className="min-w-0">
              <Link
                to={step.to}
                className={`font-medium underline-offset-4 hover:underline ${step.isDone ? 'text-ink-soft' : ''}`}
              >
                {step.name}
              </Link>
              {step.isDone && <span className="sr-only"> ({firstHour.done})</span>}
              <span className="block text-small text-ink-soft">{step.text}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** Whether every query of the first hour has ended, so that its results push nothing down later. */
export function useIsFirstHourLoaded(): boolean {
  return useFirstHourQueries().every(
    ({ isFetched, isPaused, failureCount }) => isFetched || isPaused || failureCount > 0,
  )
}

const useFirstHourQueries = () =>
  [useQuery(accountsQuery), useQuery(partQuery('brand')), useQuery(connectionsQuery)] as const

interface FirstHourSteps {
  /** Undefined until everything is loaded, so that nothing done is shown as open. */
  readonly steps?: readonly Step[]
  /** The query to try again, if one failed. */
  readonly failed?: ComponentProps<typeof LoadFailure>['query']
}

function useSteps(users: number): FirstHourSteps {
  const { firstHour: words } = useTexts()
  const { brand, forgot_password_shown, providers } = useClientConfig()
  const queries = useFirstHourQueries()
  const [{ data: accounts }, { data: stored }, { data: grants }] = queries
  const failed = queries.find(({ data, error }) => data === undefined && error !== null)
  if (failed) return { failed }
  if (!accounts || !stored || !grants) return {}
  const isBranded = stored.name !== '' || brand.logo_url !== null
  const steps = [
    {
      name: words.password,
      text: words.passwordText,
      to: '/settings/password',
      isDone: !accounts.some(({ passwordIsInitial }) => passwordIsInitial),
    },
    { name: words.brand, text: words.brandText, to: '/console/settings/brand', isDone: isBranded },
    { name: words.mail, text: words.mailText, to: '/console/settings/email', isDone: forgot_password_shown },
    {
      name: words.provider,
      text: words.providerText,
      to: '/console/settings/providers',
      isDone: providers.length > 0,
    },
    { name: words.people, text: words.peopleText, to: '/console/users?open=new', isDone: users > 1 },
    {
      name: words.client,
      text: words.clientText,
      to: '/console/connect',
      isDone: grants.items.some(({ kind }) => kind === 'tool'),
    },
    {
      name: words.product,
      text: words.productText,
      to: '/console/connect',
      isDone: stored.return_origins.length > 0,
    },
  ]
  return { steps }
}
