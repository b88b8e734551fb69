import type { IconName } from '../ui/icon.tsx'

/** A page or a person. What was typed is never kept. */
export interface Recent {
  readonly to: string
  readonly title: string
  readonly icon: IconName
}

const most = 6
/** Sign-out clears the tab's storage; the user's id keeps the list from the next user of the tab. */
const keyOf = (userId: string) => `recent:${userId}`

export const recentOf = (userId: string): readonly Recent[] => JSON.parse(sessionStorage.getItem(keyOf(userId)) ?? '[]')

export function keepRecent(userId: string, { to, title, icon }: Recent): void {
  const others = recentOf(userId).filter((one) => one.to !== to)
  sessionStorage.setItem(keyOf(userId), JSON.stringify([{ to, title, icon }, ...others].slice(0, most)))
}
