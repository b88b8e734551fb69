import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Failure } from '../messages/failure.tsx'
import { Skeleton } from './skeleton.tsx'

type Asked<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'isFetching' | 'refetch'>

interface Props<Data> {
  readonly query: Asked<Data>
  readonly skeleton?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** What a query brings: its place while it loads, its data, or what failed with a button to try again. */
export function Loaded<Data>({ query, skeleton = <Skeleton />, children }: Props<Data>) {
  return (
    <>
      {query.error && <LoadFailure query={query} />}
      {query.data !== undefined && children(query.data)}
      {query.data === undefined && !query.error && skeleton}
    </>
  )
}

export function LoadFailure({ query }: { readonly query: Omit<Asked<unknown>, 'data'> }) {
  const { common } = useTexts()
  return (
    <Failure
      error={query.error}
      action={
        <Button size="small" isPending={query.isFetching} onPress={() => void query.refetch()}>
          {common.tryAgain}
        </Button>
      }
    />
  )
}
