import type { Entry } from '../history.ts'
import { type Facts, isBefore, type Violation, violation } from './facts.ts'

interface Write {
  readonly value: string
  readonly entry: Entry
}

/**
 * What is read was written, and was not certainly replaced before. Values are written once each; one that was
 * read counts as written by then.
 */
function staleReads(
  rule: string,
  about: readonly string[],
  writes: readonly Write[],
  reads: readonly Write[],
): readonly Violation[] {
  const found: Violation[] = []
  const byValue = new Map(writes.map((write) => [write.value, write.entry]))
  const settledAt = new Map(writes.map(({ value, entry }) => [value, entry.ended]))
  for (const { value, entry } of reads)
    settledAt.set(value, Math.min(settledAt.get(value) ?? Number.POSITIVE_INFINITY, entry.ended))
  for (const read of reads) {
    const source = byValue.get(read.value)
    if (!source || source.begun > read.entry.ended) {
      found.push(violation(rule, about, `"${read.value}" was read, and nobody wrote it`, read.entry))
      continue
    }
    const settled = settledAt.get(read.value) ?? Number.POSITIVE_INFINITY
    const later = writes.find(
      ({ value, entry }) =>
        value !== read.value &&
        entry.begun > settled &&
        (settledAt.get(value) ?? Number.POSITIVE_INFINITY) < read.entry.begun,
    )
    if (later) {
      const words = `"${read.value}" was read after "${later.value}" had replaced it`
      found.push(violation(rule, about, words, source, later.entry, read.entry))
    }
  }
  return found
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

/** The password is right, as nothing else was or may have been written since. */
export function rightPasswordsOpen(facts: Facts): readonly Violation[] {
  const changes = Map.groupBy(facts.of('set-password'), ({ deed }) => deed.user)
  const erased = Map.groupBy(facts.of('erase'), ({ deed }) => deed.user)
  const signUps = new Map(facts.of('sign-up').map((entry) => [entry.deed.user, entry]))
  return facts.refused('sign-in').flatMap((refusal) => {
    const { user, password } = refusal.deed
    const signUp = signUps.get(user)
    if (!signUp || signUp.outcome !== 'done' || !refusal.status.includes('INVALID_EMAIL_OR_PASSWORD')) return []
    const all = changes.get(user) ?? []
    const source = all.find(({ deed }) => deed.to === password) ?? (signUp.deed.password === password && signUp)
    if (!source || source.outcome !== 'done' || !isBefore(source, refusal)) return []
    const others = [...all, ...(erased.get(user) ?? [])].filter((entry) => entry !== source)
    if (others.some((other) => other.begun < refusal.ended && !isBefore(other, source))) return []
    const words = `"${password}" is right, and was refused`
    return [violation('nothing acknowledged is lost', [user], words, source, refusal)]
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
