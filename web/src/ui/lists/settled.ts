import type { UseQueryResult } from '@tanstack/react-query'

type Awaited = Pick<UseQueryResult, 'isFetched' | 'isPlaceholderData' | 'isPaused' | 'failureCount'>

/**
 * True if each query has ended at least once, for this page of a list or the one before. Nothing shown after that is
 * moved by a late response.
 */
export const areSettled = (queries: readonly Awaited[]): boolean =>
  queries.every(
    ({ isFetched, isPlaceholderData, isPaused, failureCount }) =>
      isFetched || isPlaceholderData || isPaused || failureCount > 0,
  )
