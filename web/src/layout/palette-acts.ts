import { useQuery } from '@tanstack/react-query'
import { idIn } from '../pages/console/id-in.ts'
import { userQuery } from '../pages/console/queries.ts'
import type { UserRow } from '../pages/console/rows.ts'
import { useLocation } from '../routing/router.tsx'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import type { IconName } from '../ui/icon.tsx'
import { findQuery } from './palette-found.ts'

type User = Pick<UserRow, 'id' | 'email' | 'role' | 'email_verified' | 'suspended_at'>

interface Act {
  /** The question's name in the address of the user's page. */
  readonly asks: string
  readonly label: string
  readonly icon: IconName
  isFor(user: User): boolean
}

/**
 * The administrator's acts on one chosen person: the only one that the other words match, as in "suspend ann", or
 * without other words the one whose page is open.
 */
export function useActsOnUser(typed: string, isAdministrator: boolean) {
  const texts = useTexts()
  const { acts, name } = actsAndNameIn(typed, actsOf(texts))
  const user = useChosen(name, isAdministrator)
  if (!user) return []
  return acts
    .filter(({ isFor }) => isFor(user))
    .map(({ asks, label, icon }) => ({
      ...{ to: `/console/users/${user.id}?open=${asks}`, icon },
      title: texts.palette.act(label, user.email),
    }))
}

function useChosen(name: string, isAsked: boolean): User | undefined {
  const { pathname } = useLocation()
  const isHere = pathname.startsWith('/console/users/') && name === ''
  const found = useQuery({ ...findQuery({ text: name }), enabled: isAsked && name.length > 1 })
  const users = found.data?.items.filter(({ kind }) => kind === 'user') ?? []
  const id = isHere ? idIn(pathname) : users.length === 1 && name.length > 1 ? users[0]?.id : undefined
  const { data } = useQuery({ ...userQuery(id ?? ''), enabled: isAsked && id !== undefined })
  return id === undefined ? undefined : data
}

/** The acts that some of the words name, or else all of them; the other words are the person's. */
function actsAndNameIn(typed: string, all: readonly Act[]) {
  const words = typed.match(/[\u2e80-\u9fff]+|[^\s\u2e80-\u9fff]+/g) ?? []
  const isIn = (word: string, { label }: Act) => isLongEnough(word) && label.toLowerCase().includes(word)
  const naming = words.filter((word) => all.some((act) => isIn(word, act)))
  return {
    acts: all.filter((act) => naming.every((word) => isIn(word, act))),
    name: words.filter((word) => !naming.includes(word)).join(' '),
  }
}

/** Two letters of an alphabet are in too many labels; two Chinese characters are a word. */
const isLongEnough = (word: string) => word.length > (/[\u2e80-\u9fff]/.test(word) ? 1 : 2)

function actsOf({ people, person }: Texts): readonly Act[] {
  const isUser = ({ role }: User) => role === 'user'
  return [
    { asks: 'write', icon: 'mail', label: person.write, isFor: () => true },
    { asks: 'reset', icon: 'key', label: person.reset, isFor: () => true },
    { asks: 'verify', icon: 'check', label: person.verify, isFor: ({ email_verified }) => !email_verified },
    { asks: 'end-sessions', icon: 'sign-out', label: people.endSessions, isFor: () => true },
    { asks: 'credits', icon: 'coins', label: person.give, isFor: () => true },
    {
      ...{ asks: 'suspend', icon: 'shield', label: people.suspend },
      isFor: (user) => isUser(user) && user.suspended_at === null,
    },
    {
      ...{ asks: 'restore', icon: 'check', label: people.restore },
      isFor: (user) => isUser(user) && user.suspended_at !== null,
    },
    { asks: 'delete', icon: 'trash', label: people.remove, isFor: isUser },
  ]
}
