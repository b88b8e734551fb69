import { type Facts, isBefore, isQuiet, type Violation, violation } from './facts.ts'

const GONE = 'what is deleted is gone everywhere'

export function deletedUsersAreGone(facts: Facts): readonly Violation[] {
  const erased = new Map(facts.done('erase').map((entry) => [entry.deed.user, entry]))
  const meetings = [
    ...facts.done('sign-in'),
    ...facts.done('find-user').filter((entry) => isQuiet(entry) && entry.deed.found === true),
    ...facts.done('use-session').filter(({ deed }) => deed.alive === true),
    ...facts.done('use-grant').filter(({ deed }) => deed.alive === true),
    ...facts.done('use-acting').filter(({ deed }) => deed.alive === true),
  ]
  return meetings.flatMap((meeting) => {
    const { user } = meeting.deed
    const erasure = erased.get(user)
    if (!erasure || !isBefore(erasure, meeting)) return []
    return [violation(GONE, [user], `${user} was deleted, and is met at ${meeting.at}`, erasure, meeting)]
  })
}

export function usersAreKept(facts: Facts): readonly Violation[] {
  const signUps = new Map(facts.done('sign-up').map((entry) => [entry.deed.user, entry]))
  const erased = Map.groupBy(facts.of('erase'), ({ deed }) => deed.user)
  return facts
    .done('find-user')
    .filter((entry) => isQuiet(entry) && entry.deed.found === false)
    .flatMap((look) => {
      const { user } = look.deed
      const signUp = signUps.get(user)
      const mayBeGone = erased.get(user)?.some(({ begun }) => begun < look.ended) ?? false
      if (!signUp || mayBeGone || !isBefore(signUp, look)) return []
      return [violation('nothing acknowledged is lost', [user], `${user} is not found`, signUp, look)]
    })
}
