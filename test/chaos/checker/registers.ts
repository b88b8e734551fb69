import { type Entry, OWN_BROWSER } from '../history.ts'
import { passwordOf } from './access.ts'
import { type Facts, isBefore, type Violation, violation } from './facts.ts'

interface Write {
  readonly value: string
  readonly entry: Entry
}

/**
 * A value that is read was written, and was not certainly replaced before. Each value is written once; one that was
 * read counts as written by then.
 */
function staleReads(
  rule: string,
  about: readonly string[],
  writes: readonly Write[],
  reads: readonly Write[],
): readonly Violation[] {
  const firstReads = new Map<string, number>()
  for (const { value, entry } of reads)
    firstReads.set(value, Math.min(firstReads.get(value) ?? Number.POSITIVE_INFINITY, entry.ended))
  const overBy = ({ value, entry }: Write) => Math.min(entry.ended, firstReads.get(value) ?? Number.POSITIVE_INFINITY)
  const isCertainBefore = (write: Write, read: Entry) =>
    (write.entry.outcome === 'done' || firstReads.has(write.value)) && overBy(write) < read.begun
  return reads.flatMap((read) => {
    const source = writes.find(({ value }) => value === read.value)
    if (!source || source.entry.begun > read.entry.ended)
      return [violation(rule, about, `"${read.value}" was read, and nobody wrote it`, read.entry)]
    const later = writes.find((write) => write.entry.begun > overBy(source) && isCertainBefore(write, read.entry))
    if (!later) return []
    const words = `"${read.value}" was read after "${later.value}" had replaced it`
    return [violation(rule, about, words, source.entry, later.entry, read.entry)]
  })
}

export function passwordsAreReplaced(facts: Facts): readonly Violation[] {
  const reads = Map.groupBy(facts.done('sign-in'), ({ deed }) => deed.user)
  const changes = Map.groupBy(facts.of('set-password'), ({ deed }) => deed.user)
  return facts.of('sign-up').flatMap((signUp) => {
    const { user, password } = signUp.deed
    const writes = [
      { value: password, entry: signUp },
      ...(changes.get(user) ?? []).map((entry) => ({ value: entry.deed.to, entry })),
    ]
    const read = (reads.get(user) ?? []).map((entry) => ({ value: entry.deed.password, entry }))
    return staleReads('an old password opens nothing', [user], writes, read)
  })
}

/**
 * A password is right if nothing else was or may have been written since. The first proof of an address by a browser
 * that is not signed in removes it, unless the user signed up there.
 */
export function rightPasswordsOpen(facts: Facts): readonly Violation[] {
  const writes = Map.groupBy(
    [
      ...facts.of('sign-up'),
      ...facts.of('set-password'),
      ...facts.of('verify').filter(({ deed }) => deed.by !== OWN_BROWSER),
      ...facts.of('erase'),
    ],
    (entry) => entry.deed.user,
  )
  const refusals = facts.refused('sign-in').filter(({ status }) => status.includes('INVALID_EMAIL_OR_PASSWORD'))
  return refusals.flatMap((refusal) => {
    const { user, password } = refusal.deed
    const all = writes.get(user) ?? []
    const source = all.find(({ deed }) => passwordOf(deed) === password)
    if (source?.outcome !== 'done' || !isBefore(source, refusal)) return []
    const isOvertaken = all.some((other) => other.begun < refusal.ended && !isBefore(other, source) && other !== source)
    const words = `"${password}" is right, and was refused`
    return isOvertaken ? [] : [violation('nothing acknowledged is lost', [user], words, source, refusal)]
  })
}

export function namesAreNewest(facts: Facts): readonly Violation[] {
  const reads = Map.groupBy(facts.done('use-session'), ({ deed }) => deed.user)
  const renames = Map.groupBy(facts.of('rename'), ({ deed }) => deed.user)
  return facts.of('sign-up').flatMap((signUp) => {
    const { user } = signUp.deed
    const writes = [
      { value: `${user}.name0`, entry: signUp },
      ...(renames.get(user) ?? []).map((entry) => ({ value: entry.deed.name, entry })),
    ]
    const read = (reads.get(user) ?? []).flatMap((entry) =>
      entry.deed.name === undefined ? [] : [{ value: entry.deed.name, entry }],
    )
    return staleReads('own writes are read', [user], writes, read)
  })
}
