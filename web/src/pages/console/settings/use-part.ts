import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { draftOf, dropDraft, keepDraft } from '../../../forms/draft.ts'
import { useAct } from '../../../server/act.ts'
import { ApiError, call } from '../../../server/api.ts'
import { type Part, partQuery, type UpdateOf } from '../queries.ts'

/** Only what has been changed; nothing is ever changed to undefined. */
type ChangesOf<P extends Part> = {
  [K in Exclude<keyof UpdateOf<P>, 'expected_version'>]?: Exclude<UpdateOf<P>[K], undefined>
}

/**
 * One part of the settings: what is stored, and what has been changed here. A save that comes after another one
 * keeps the changes, so that they can be reviewed beside the newer version and saved again.
 */
export function usePart<P extends Part>(part: P) {
  const queryClient = useQueryClient()
  const query = partQuery(part)
  const draft = `settings:${part}`
  const [changes, setChanges] = useChanges<P>(draft)
  const stored = useQuery(query)
  const save = useAct({
    act: () =>
      call(`/api/admin/update_${part}_config` as const, updateOf(changes, stored.data?.version ?? 0)),
    onDone: async (document) => {
      queryClient.setQueryData(query.queryKey, document)
      dropDraft(draft)
      setChanges({})
      await queryClient.invalidateQueries({ queryKey: ['client-config'] })
    },
  })

  return {
    document: stored.data,
    stored,
    changes,
    draft,
    change: (more: ChangesOf<P>) => setChanges((before) => ({ ...before, ...more })),
    hasChanges: Object.keys(changes).length > 0,
    save,
    isConflict: save.error instanceof ApiError && save.error.code === 'CONFIG_CONFLICT',
    /** Takes over what somebody else saved; the changes made here stay on top. */
    reload: async () => {
      await stored.refetch()
      save.reset()
    },
    discard: () => {
      save.reset()
      setChanges({})
    },
  }
}

/** They survive a reload and the end of the session, except for secrets and files. */
function useChanges<P extends Part>(draft: string) {
  const [changes, setChanges] = useState<ChangesOf<P>>(() => draftOf(draft))
  const kept = JSON.stringify(Object.fromEntries(Object.entries(changes).filter(isKept)))
  useEffect(() => {
    if (kept === '{}') dropDraft(draft)
    else keepDraft(draft, JSON.parse(kept))
  }, [draft, kept])
  return [changes, setChanges] as const
}

const isKept = ([, value]: readonly [string, unknown]) =>
  !(typeof value === 'object' && value !== null && 'action' in value)

export type PartState<P extends Part> = ReturnType<typeof usePart<P>>

/** The compiler cannot put a part's fields together again while the part is still open. */
function updateOf<P extends Part>(changes: ChangesOf<P>, expected_version: number): UpdateOf<P> {
  return { ...changes, expected_version } as UpdateOf<P>
}
