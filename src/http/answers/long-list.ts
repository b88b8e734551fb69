import { setImmediate as nextTurn } from 'node:timers/promises'

/** Characters. A shorter list does not hold up the event loop. */
const LONG = 128 * 1024
const PART = 32 * 1024
/** No other request waits longer. */
const TURN_MILLISECONDS = 4

interface List {
  readonly items: readonly unknown[]
}

/** JSON of a list with long texts, in parts. Undefined if the list is short, or the value is not a list. */
export function partsOfLongList(output: unknown): AsyncGenerator<string> | undefined {
  return isList(output) && isLonger(output.items, LONG) ? partsOf(output) : undefined
}

/** True if its texts alone have more characters than that. */
export function isLonger(value: unknown, characters: number): boolean {
  return left(value, characters) < 0
}

/** Maps rows that each take a while; other requests run in between. */
export async function mapInTurns<Row, Shown>(rows: readonly Row[], shownOf: (row: Row) => Shown): Promise<Shown[]> {
  const all: Shown[] = []
  let began = performance.now()
  for (const row of rows) {
    all.push(shownOf(row))
    if (performance.now() - began < TURN_MILLISECONDS) continue
    await nextTurn()
    began = performance.now()
  }
  return all
}

async function* partsOf({ items, ...rest }: List): AsyncGenerator<string> {
  yield '{"items":['
  let part = ''
  for (const [i, item] of items.entries()) {
    part += (i === 0 ? '' : ',') + JSON.stringify(item)
    if (part.length < PART) continue
    yield part
    part = ''
  }
  const others = JSON.stringify(rest).slice(1)
  yield `${part}]${others === '}' ? '' : ','}${others}`
}

function isList(output: unknown): output is List {
  return typeof output === 'object' && output !== null && 'items' in output && Array.isArray(output.items)
}

/** The characters that remain of the limit. Stops as soon as it is exceeded. */
function left(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length
  if (typeof value !== 'object' || value === null) return characters
  let rest = characters
  for (const field of Object.values(value)) {
    rest = left(field, rest)
    if (rest < 0) break
  }
  return rest
}
