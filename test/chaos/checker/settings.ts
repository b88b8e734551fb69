import { type Fact, type Facts, isBefore, isQuiet, type Violation, violation } from './facts.ts'

const RULE = 'versions grow by one, and name one content'

/** Saves compare the version; reads see every save that was acknowledged before they began. */
export function versionsGrowByOne(facts: Facts): readonly Violation[] {
  return [...oneContentEach(facts), ...steps(facts), ...missed(facts), ...unwritten(facts)]
}

function oneContentEach(facts: Facts): readonly Violation[] {
  const contents = new Map<number, string>()
  return [...facts.done('save'), ...facts.done('read-settings')].flatMap((entry) => {
    const { version = 0, value = '' } = entry.deed
    const known = contents.get(version) ?? value
    contents.set(version, known)
    const words = `version ${version} is "${known}" and, at ${entry.at}, "${value}"`
    return known === value ? [] : [violation(RULE, ['settings'], words, entry)]
  })
}

/** The first save after a promotion skips what others may still have loaded and was lost. */
const STEP_OVER_A_FAILOVER = 1_000_000

function steps(facts: Facts): readonly Violation[] {
  const [promotion] = facts.of('fault').filter(({ deed }) => deed.fault.includes('promoted'))
  const isStep = ({ ended, deed }: Fact<'save'>) => {
    const step = (deed.version ?? 0) - deed.expected
    const mayLeap = promotion !== undefined && promotion.begun < ended
    return step === 1 || (mayLeap && step === STEP_OVER_A_FAILOVER)
  }
  return facts
    .done('save')
    .filter((save) => !isStep(save))
    .map((save) => {
      const words = `a save on version ${save.deed.expected} made version ${save.deed.version}`
      return violation(RULE, ['settings'], words, save)
    })
}

function missed(facts: Facts): readonly Violation[] {
  const saves = facts.done('save')
  return facts.done('read-settings').flatMap((read) => {
    const { version = 0 } = read.deed
    const save = saves.find((each) => isBefore(each, read) && (each.deed.version ?? 0) > version)
    const words = `version ${version} was read at ${read.at} after version ${save?.deed.version} was saved`
    return save ? [violation('own writes are read', ['settings'], words, save, read)] : []
  })
}

function unwritten(facts: Facts): readonly Violation[] {
  const written = new Set(['', ...facts.of('save').map(({ deed }) => deed.value)])
  return facts
    .done('read-settings')
    .filter((read) => isQuiet(read) && !written.has(read.deed.value ?? ''))
    .map((read) => violation(RULE, ['settings'], `"${read.deed.value}" was read, and nobody saved it`, read))
}
