import { useQuery } from '@tanstack/react-query'
import { personIdOf } from '../pages/console/person/queries.ts'
import { userQuery } from '../pages/console/queries.ts'
import type { UserRow } from '../pages/console/rows.ts'
import { useLocation } from '../routing/router.tsx'
import { call } from '../server/api.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'

type User = Pick<UserRow, 'id' | 'email' | 'role' | 'email_verified' | 'suspended_at'>

interface Act {
  /** The question's name in the address of the user's page. */
  readonly asks: string
  readonly label: string
  isFor(user: User): boolean
}

const mostUsers = 8

/** The administrator's acts on users: "suspend ann", or without a name on the user whose page is open, if one is. */
export function useActsOnUsers(typed: string, isAdministrator: boolean) {
  const texts = useTexts()
  const { acts, name } = actsAndNameIn(typed, actsOf(texts))
  const users = useUsers(name, isAdministrator && acts.length > 0)
  return users.flatMap((user) =>
    acts
      .filter(({ isFor }) => isFor(user))
      .map(({ asks, label }) => ({
        to: `/console/users/${user.id}?open=${asks}`,
        title: texts.palette.act(label, user.email),
      })),
  )
}

function useUsers(name: string, isAsked: boolean): readonly User[] {
  const { pathname } = useLocation()
  const isHere = pathname.startsWith('/console/users/') && name === ''
  const opened = useQuery({ ...userQuery(personIdOf(pathname)), enabled: isAsked && isHere })
  const found = useQuery({ ...findUsersQuery(name), enabled: isAsked && name !== '' })
  if (!isAsked) return []
  const users = isHere ? [opened.data] : name === '' ? [] : (found.data?.items ?? [])
  return users.filter((user) => user !== undefined)
}

export const paletteUsersKey = ['console', 'palette-users']

export const findUsersQuery = (search: string) => ({
  queryKey: [...paletteUsersKey, search],
  queryFn: () =>
    call('/api/admin/list_users', {
      ...(search && { search, search_among: 'first' as const }),
      page_size: mostUsers,
    }),
})

/** The actions that some of the words name; the other words are the user's. */
function actsAndNameIn(typed: string, all: readonly Act[]) {
  const words = typed.match(/[\u2e80-\u9fff]+|[^\s\u2e80-\u9fff]+/g) ?? []
  const isIn = (word: string, { label }: Act) => isLongEnough(word) && label.toLowerCase().includes(word)
  const naming = words.filter((word) => all.some((act) => isIn(word, act)))
  return {
    acts: naming.length === 0 ? [] : all.filter((act) => naming.every((word) => isIn(word, act))),
    name: words.filter((word) => !naming.includes(word)).join(' '),
  }
}

/** Two letters of an alphabet are in too many labels; two Chinese characters are a word. */
const isLongEnough = (word: string) => word.length > (/[\u2e80-\u9fff]/.test(word) ? 1 : 2)

function actsOf({ people, person }: Texts): readonly Act[] {
  const isUser = ({ role }: User) => role === 'user'
  return [
    { asks: 'write', label: person.write, isFor: () => true },
    { asks: 'reset', label: person.reset, isFor: () => true },
    { asks: 'verify', label: person.verify, isFor: ({ email_verified }) => !email_verified },
    { asks: 'end-sessions', label: people.endSessions, isFor: () => true },
    { asks: 'credits', label: person.give, isFor: () => true },
    { asks: 'suspend', label: people.suspend, isFor: (user) => isUser(user) && user.suspended_at === null },
    { asks: 'restore', label: people.restore, isFor: (user) => isUser(user) && user.suspended_at !== null },
    { asks: 'delete', label: people.remove, isFor: isUser },
  ]
}
