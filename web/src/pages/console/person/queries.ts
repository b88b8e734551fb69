import { productWordsQuery } from '../../../product-words.ts'
import { ApiError, call, type Output } from '../../../server/api.ts'
import { idIn } from '../id-in.ts'
import { consoleKeys, shardsQuery, userQuery } from '../queries.ts'

export type Person = Output<'/api/admin/get_user'>

/** The queries that a change to this user affects. */
export const refreshesOf = (id: string) => [userQuery(id).queryKey, timeLineKey(id), consoleKeys.users]

const timeLineKey = (id: string) => ['console', 'time-line', id]

export interface TimeLineItem {
  readonly key: string
  readonly at: number
  readonly what:
    | { readonly kind: 'act'; readonly entry: Entry; readonly isOwn: boolean }
    | { readonly kind: 'credit'; readonly amount: number; readonly source: string }
    | { readonly kind: 'feedback'; readonly content: string }
    | { readonly kind: 'message'; readonly title: string }
    | { readonly kind: 'sign-up' }
}

const latest = 5

export const latestCreditsQuery = (id: string) => ({
  queryKey: [...timeLineKey(id), 'credits'],
  queryFn: () => call('/api/admin/list_user_credits', { id, page_size: latest }),
})

export const latestFeedbackQuery = (id: string) => ({
  queryKey: [...timeLineKey(id), 'feedback'],
  queryFn: () => call('/api/admin/list_feedbacks', { user_id: id, page_size: latest }),
})

interface Rows<Row> {
  readonly items: readonly Row[]
  readonly total: number
}

type Entry = Output<'/api/admin/list_audit_entries'>['items'][number]

export const timeLineStep = 20

function oldestOf({ items }: { readonly items: readonly { readonly created_at: number }[] }): number {
  return Math.min(...items.map(({ created_at }) => created_at))
}

/** Empty if the user's shard is down, which the page says at its top. */
async function emptyIfDown<Row>(rows: Promise<Rows<Row>>): Promise<Rows<Row>> {
  try {
    return await rows
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORE_UNAVAILABLE') return { items: [], total: 0 }
    throw error
  }
}

/** The newest entries of the four lists, back to the oldest entry from which on all of them are read. */
export function timeLineQuery(id: string, most: number) {
  const page = { page: 1, page_size: most }
  return {
    queryKey: [...timeLineKey(id), most],
    queryFn: async () => {
      const [acts, credits, feedbacks, messages] = await Promise.all([
        call('/api/admin/list_audit_entries', { user_id: id, ...page }),
        emptyIfDown(call('/api/admin/list_user_credits', { id, ...page })),
        emptyIfDown(call('/api/admin/list_feedbacks', { user_id: id, ...page })),
        call('/api/admin/list_notifications', { target_user_id: id, ...page }),
      ])
      const items: TimeLineItem[] = [
        ...acts.items
          .filter(({ action }) => action !== 'credit.give')
          .map((entry) => ({
            key: entry.id,
            at: entry.created_at,
            what: { kind: 'act', entry, isOwn: entry.actor_id === id } as const,
          })),
        ...credits.items.map(({ id: key, created_at: at, amount, source_type }) => ({
          key,
          at,
          what: { kind: 'credit', amount, source: source_type } as const,
        })),
        ...feedbacks.items.map(({ id: key, created_at: at, content }) => ({
          key,
          at,
          what: { kind: 'feedback', content } as const,
        })),
        ...messages.items.map(({ id: key, created_at: at, title }) => ({
          key,
          at,
          what: { kind: 'message', title } as const,
        })),
      ]
      items.sort((a, b) => b.at - a.at)
      const unfinished = [acts, credits, feedbacks, messages].filter(({ total }) => total > most)
      const since = Math.max(...unfinished.map(oldestOf))
      return { items: items.filter(({ at }) => at >= since), isMore: unfinished.length > 0 }
    },
  }
}

/** All queries of the page of the user at this address. */
export function queriesOfPerson(pathname: string) {
  const id = idIn(pathname)
  return [
    userQuery(id),
    timeLineQuery(id, timeLineStep),
    shardsQuery,
    latestCreditsQuery(id),
    latestFeedbackQuery(id),
    productWordsQuery,
  ]
}
