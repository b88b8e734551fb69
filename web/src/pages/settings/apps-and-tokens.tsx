import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { areSettled } from '../../ui/lists/settled.ts'
import { Place } from '../place.tsx'
import { Access } from './access.tsx'
import { PersonalTokens } from './personal-tokens.tsx'
import { approvalsQuery, grantsQuery } from './queries.ts'

/** Everything that acts for the user. */
export function AppsAndTokens() {
  const isSettled = useDeferredValue(areSettled([useQuery(grantsQuery), useQuery(approvalsQuery)]))
  return (
    <>
      <Access />
      {isSettled && (
        <Place id="tokens">
          <PersonalTokens />
        </Place>
      )}
    </>
  )
}
