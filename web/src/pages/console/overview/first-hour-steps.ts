import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useClientConfig, useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { accountsQuery, securityQuery } from '../../settings/queries.ts'
import { connectionsQuery, partQuery } from '../queries.ts'

export interface Step {
  readonly name: string
  readonly text: string
  readonly to: string
  readonly isDone: boolean
}

/** True if every query of the first hour has ended, so that its results push nothing down later. */
export function useIsFirstHourLoaded(): boolean {
  return areSettled(useFirstHourQueries())
}

const useFirstHourQueries = () =>
  [useQuery(accountsQuery), useQuery(partQuery('brand')), useQuery(connectionsQuery), useQuery(securityQuery)] as const

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
  const stepOf = (key: keyof typeof states): Step => {
    const [to, isDone] = states[key]
    return { name: words[key], text: words[`${key}Text`], to, isDone }
  }
  const states = {
    password: ['/settings/security#password', !accounts.some(({ passwordIsInitial }) => passwordIsInitial)],
    brand: ['/console/settings/brand', isBranded],
    mail: ['/console/settings/email', forgot_password_shown],
    factor: ['/settings/security', user.twoFactorEnabled || !security.isAllowed],
    provider: ['/console/settings/providers', providers.length > 0],
    people: ['/console/users?open=new', users > 1],
    client: ['/console/connect#tool', grants.items.some(({ kind }) => kind === 'tool')],
    product: ['/console/connect', return_origins.length > 0],
  } as const
  const order = ['password', 'brand', 'mail', 'factor', 'provider', 'people', 'client', 'product'] as const
  return { steps: order.map(stepOf) }
}
