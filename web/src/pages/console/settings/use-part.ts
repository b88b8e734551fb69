import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, type Operations, post } from '../../../api.ts'

type Part = 'authentication' | 'email' | 'credits' | 'ai'
type DocumentOf<P extends Part> = Operations[`/api/admin/get_${P}_config`]['output']
/** Only what has been changed; nothing is ever changed to undefined. */
type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }
type ChangesOf<P extends Part> = Present<
  Omit<Operations[`/api/admin/update_${P}_config`]['input'], 'expected_version'>
>

/**
 * One part of the settings: what is stored, and what has been changed here. A save that comes too late
 * keeps the changes, so that they can be looked at beside the newer version and saved again.
 */
export function usePart<P extends Part>(part: P) {
  const queryClient = useQueryClient()
  const queryKey = ['config', part]
  const [changes, setChanges] = useState<ChangesOf<P>>({})
  const stored = useQuery({ queryKey, queryFn: () => post<DocumentOf<P>>(`/api/admin/get_${part}_config`) })
  const save = useMutation({
    mutationFn: () =>
      post<DocumentOf<P>>(`/api/admin/update_${part}_config`, {
        ...changes,
        expected_version: stored.data?.version,
      }),
    onSuccess: async (document) => {
      queryClient.setQueryData(queryKey, document)
      setChanges({})
      await queryClient.invalidateQueries({ queryKey: ['client-config'] })
    },
  })

  return {
    document: stored.data,
    loadError: stored.error,
    changes,
    change: (more: ChangesOf<P>) => setChanges((before) => ({ ...before, ...more })),
    hasChanges: Object.keys(changes).length > 0,
    save,
    isConflict: save.error instanceof ApiError && save.error.code === 'CONFIG_CONFLICT',
    /** Takes over what somebody else saved; the changes made here stay on top. */
    reload: async () => {
      save.reset()
      await stored.refetch()
    },
    discard: () => {
      save.reset()
      setChanges({})
    },
  }
}

export type PartState<P extends Part> = ReturnType<typeof usePart<P>>
