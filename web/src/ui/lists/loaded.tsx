import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Failure } from '../messages/failure.tsx'
import { Notice } from '../messages/notice.tsx'
import { Skeleton } from './skeleton.tsx'

interface Failed extends Pick<UseQueryResult, 'error' | 'isFetching'> {
  refetch(): unknown
}

type LoadedQuery<Data> = Failed & Pick<UseQueryResult<Data>, 'data'>

interface Props<Data> {
  readonly query: LoadedQuery<Data>
  readonly skeleton?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** The result of a query: a placeholder while it loads, its data, or an error with a button to try again. */
export function Loaded<Data>({ query, skeleton = <Skeleton />, children }: Props<Data>) {
  return (
    <>
      {query.error && <LoadFailure query={query} />}
      {query.data !== undefined && children(query.data)}
      {query.data === undefined && !query.error && skeleton}
    </>
  )
}

export function LoadFailure({ query }: { readonly query: Failed }) {
  const { common, failures } = useTexts()
  if (codeOf(query.error) === 'IMPERSONATION_REFUSED')
    return <Notice look="info">{failures.IMPERSONATION_REFUSED}</Notice>
  if (isGone(query.error)) return <Failure error={query.error} />
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

/** True if another try cannot bring it back. */
export const isGone = (error: unknown) => codeOf(error) === 'NOT_FOUND'

const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)
