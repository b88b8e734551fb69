import { type Facts, isBefore, isQuiet, type Violation, violation } from './facts.ts'

/** One user for each beta code, one beta code for each user, one use of each mailed code. */
export function codesCountOnce(facts: Facts): readonly Violation[] {
  const binds = facts.done('bind')
  const resets = facts.done('set-password').filter(({ deed }) => deed.code !== undefined)
  return [
    ...twice(
      Map.groupBy(binds, ({ deed }) => deed.code),
      'was bound twice',
    ),
    ...twice(
      Map.groupBy(binds, ({ deed }) => deed.user),
      'bound two codes',
    ),
    ...twice(
      Map.groupBy(resets, ({ deed }) => deed.code ?? ''),
      'reset a password twice',
    ),
    ...boundIsListed(facts),
  ]
}

type Grouped = ReadonlyMap<string, Parameters<typeof isBefore>[0][]>

function twice(groups: Grouped, words: string): readonly Violation[] {
  return [...groups]
    .filter(([, entries]) => entries.length > 1)
    .map(([name, entries]) => violation('a code counts once', [name], `${name} ${words}`, ...entries))
}

function boundIsListed(facts: Facts): readonly Violation[] {
  const rule = 'nothing acknowledged is lost'
  return facts
    .done('list-codes')
    .filter((list) => isQuiet(list) && (list.deed.bound?.length ?? 0) < 100)
    .flatMap((list) => {
      const bound = new Set(list.deed.bound?.map(([code]) => code))
      return facts
        .done('bind')
        .filter((bind) => isBefore(bind, list) && !bound.has(bind.deed.code))
        .map((bind) => violation(rule, [bind.deed.code], `${bind.deed.code} counts as unused`, bind, list))
    })
}
