import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useClientConfig, useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { accountsQuery, securityQuery } from '../../settings/queries.ts'
import { connectionsQuery, partQuery } from '../queries.ts'

interface Step {
  readonly name: string
  readonly text: string
  readonly to: string
  readonly isDone: boolean
}

/** Whether every query of the first hour has ended, so that its results push nothing down later. */
export function useIsFirstHourLoaded(): boolean {
  return areSettled(useFirstHourQueries())
}

const useFirstHourQueries = () =>
  [
    useQuery(accountsQuery),
    useQuery(partQuery('brand')),
    useQuery(connectionsQuery),
    useQuery(securityQuery),
  ] as const

interface FirstHourSteps {
  /** Undefined until everything is loaded, so that nothing done is shown as open. */
  readonly steps?: readonly Step[]
  /** The query to try again, if one failed. */
  readonly failed?: UseQueryResult
}

/** The steps in the order in which they are best done. */
export function useFirstHour(users: number): FirstHourSteps {
  const { firstHour: words } = useTexts()
  const { brand, forgot_password_shown, providers, return_origins } = useClientConfig()
  const { user } = useSignedIn()
  const queries = useFirstHourQueries()
  const [{ data: accounts }, { data: stored }, { data: grants }, { data: security }] = queries
  const failed = queries.find(({ data, error }) => data === undefined && error !== null)
  if (failed) return { failed }
  if (!accounts || !stored || !grants || !security) return {}
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
      name: words.factor,
      text: words.factorText,
      to: '/settings/security',
      isDone: user.twoFactorEnabled || !security.isAllowed,
    },
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
      to: '/console/connect#tool',
      isDone: grants.items.some(({ kind }) => kind === 'tool'),
    },
    {
      name: words.product,
      text: words.productText,
      to: '/console/connect',
      isDone: return_origins.length > 0,
    },
  ]
  return { steps }
}
