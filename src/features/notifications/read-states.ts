import type { Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import * as marksStore from './marks-store.ts'
import * as store from './store.ts'

/** The ids that a user sees, newest first, by whether they have been read. */
export interface ReadStates {
  readonly read: readonly string[]
  readonly unread: readonly string[]
}

/**
 * Ids and marks live in different stores and meet in memory. Each side counts its changes, and the
 * counter comes with what it counts in one statement, so the outcome is good while both counters stand.
 */
export async function readStatesOf(
  { meta, recent }: Pick<Platform, 'meta' | 'recent'>,
  shard: Shard,
  userId: string,
): Promise<ReadStates> {
  const key = `read states of ${userId} in ${shard.name}`
  const [revision, writes] = await Promise.all([store.revision(meta), marksStore.writesOf(shard, userId)])
  const known = recent.recall<ReadStates>(key, versionOf(revision, writes))
  if (known) return known

  const [visible, marked] = await Promise.all([
    store.visibleIds(meta, userId, {}),
    marksStore.readMarks(shard, userId),
  ])
  const states = statesOf(visible.ids, marked.ids)
  recent.remember(key, versionOf(visible.revision, marked.writes), states, visible.ids.length + 1)
  return states
}

/** For a filter that is asked for now and then. */
export async function filteredReadStates(
  { meta }: Pick<Platform, 'meta'>,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
): Promise<ReadStates> {
  const [visible, marked] = await Promise.all([
    store.visibleIds(meta, userId, filter),
    marksStore.readMarks(shard, userId),
  ])
  return statesOf(visible.ids, marked.ids)
}

function statesOf(ids: readonly string[], marks: readonly string[]): ReadStates {
  const marked = new Set(marks)
  const { read = [], unread = [] } = Object.groupBy(ids, (id) => (marked.has(id) ? 'read' : 'unread'))
  return { read, unread }
}

export function versionOf(revision: string, writes: number): string {
  return `${revision} ${writes}`
}
