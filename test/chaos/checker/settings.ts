import { type Facts, isBefore, isQuiet, type Violation, violation } from './facts.ts'

const RULE = 'versions grow by one, and name one content'

/** Saves compare the version; reads see every save that was acknowledged before they began. */
export function versionsGrowByOne(facts: Facts): readonly Violation[] {
  const saves = facts.done('save')
  const reads = facts.done('read-settings')
  const contents = new Map<number, string>()
  const found: Violation[] = []
  for (const entry of [...saves, ...reads]) {
    const { version = 0, value = '' } = entry.deed
    const known = contents.get(version)
    if (known !== undefined && known !== value) {
      const words = `version ${version} is "${known}" and, at ${entry.at}, "${value}"`
      found.push(violation(RULE, ['settings'], words, entry))
    }
    contents.set(version, known ?? value)
  }
  for (const save of saves) {
    const { version = 0, expected } = save.deed
    if (version !== expected + 1)
      found.push(violation(RULE, ['settings'], `a save on ${expected} made ${version}`, save))
  }
  for (const read of reads) {
    const missed = saves.find((save) => isBefore(save, read) && (save.deed.version ?? 0) > (read.deed.version ?? 0))
    if (missed) {
      const words = `version ${read.deed.version} was read at ${read.at} after ${missed.deed.version} was saved`
      found.push(violation('own writes are read', ['settings'], words, missed, read))
    }
  }
  return [...found, ...unwritten(facts)]
}

function unwritten(facts: Facts): readonly Violation[] {
  const written = new Set(['', ...facts.of('save').map(({ deed }) => deed.value)])
  return facts
    .done('read-settings')
    .filter((read) => isQuiet(read) && !written.has(read.deed.value ?? ''))
    .map((read) => violation(RULE, ['settings'], `"${read.deed.value}" was read, and nobody saved it`, read))
}
