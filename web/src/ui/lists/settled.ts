import type { UseQueryResult } from '@tanstack/react-query'

type Awaited = Pick<UseQueryResult, 'isFetched' | 'isPaused' | 'failureCount'>

/** Whether each query has ended at least once. What is shown after that is not moved by a late response. */
export const areSettled = (queries: readonly Awaited[]): boolean =>
  queries.every(({ isFetched, isPaused, failureCount }) => isFetched || isPaused || failureCount > 0)
