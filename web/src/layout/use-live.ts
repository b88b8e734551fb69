import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { consoleKeys } from '../pages/console/queries.ts'
import { organizationsKey } from '../pages/settings/organizations/queries.ts'
import { approvalsQuery } from '../pages/settings/queries.ts'
import { readNewest } from '../server/api.ts'
import { followLive, type LiveEvent } from '../server/live.ts'
import { notificationsKey, unreadQuery } from '../server/notifications.ts'
import { sessionQuery, useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'

/**
 * The queries that each event makes stale. The session is requested again, since this browser can have
 * another by now.
 */
const outdated: Readonly<Record<LiveEvent['name'], readonly QueryKey[]>> = {
  unread: [],
  notification: [notificationsKey, approvalsQuery.queryKey],
  notification_archived: [notificationsKey],
  organization: [organizationsKey, sessionQuery.queryKey],
  feedback: [consoleKeys.feedback, consoleKeys.overview],
  people: [consoleKeys.users, consoleKeys.audit, consoleKeys.overview],
  signed_out: [sessionQuery.queryKey],
  missed: [
    ...[notificationsKey, approvalsQuery.queryKey, organizationsKey, consoleKeys.feedback],
    ...[consoleKeys.users, consoleKeys.audit, consoleKeys.overview],
  ],
}

/** A busy service has many sign-ins in a second, and a list is read once for all of them. */
const PEOPLE_MILLISECONDS = 1_000

/** The pages follow what happens elsewhere: the unread count, what is new, the end of the session. */
export function useLive(): void {
  const queryClient = useQueryClient()
  const { id } = useSignedIn().user
  const { notifications } = useTexts()

  useEffect(() => {
    const refetch = (keys: readonly QueryKey[]) => {
      if (keys.length > 0) readNewest()
      for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey })
    }
    let waiting: ReturnType<typeof setTimeout> | undefined
    const onEvent = (event: LiveEvent) => {
      if (event.name === 'people') {
        waiting ??= setTimeout(() => {
          waiting = undefined
          refetch(outdated.people)
        }, PEOPLE_MILLISECONDS)
        return
      }
      if (event.name === 'unread') queryClient.setQueryData(unreadQuery.queryKey, { count: event.count })
      if (event.name === 'notification') say(notifications.arrived)
      refetch(outdated[event.name])
    }
    const stop = followLive(id, onEvent)
    return () => {
      clearTimeout(waiting)
      stop()
    }
  }, [queryClient, id, notifications])
}
