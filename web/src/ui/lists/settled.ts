import type { UseQueryResult } from '@tanstack/react-query'

type Awaited = Pick<UseQueryResult, 'isFetched' | 'isPlaceholderData' | 'isPaused' | 'failureCount'>

/**
 * Whether each query has ended at least once, for this page of a list or the one before. What is shown after that is
 * not moved by a late response.
 */
export const areSettled = (queries: readonly Awaited[]): boolean =>
  queries.every(
    ({ isFetched, isPlaceholderData, isPaused, failureCount }) =>
      isFetched || isPlaceholderData || isPaused || failureCount > 0,
  )
