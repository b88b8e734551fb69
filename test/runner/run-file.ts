import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { descendants, endAll } from './process-tree.ts'
import type { Together } from './together/groups.ts'

/** The run of a test file, or of several in one process. */
export interface FileRun {
  readonly files: Together
  readonly seconds: number
  /** What a reporter shows of it, without the closing lines. */
  readonly events: readonly TestEvent[]
  readonly counts: Counts
  readonly skipped: readonly Skipped[]
}

interface Skipped {
  readonly file: string
  readonly name: string
  readonly reason: string
}

export const NOTHING = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
export type Counts = Readonly<typeof NOTHING>

interface Terms {
  readonly limitSeconds: number
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Called with each event as it comes. */
  readonly heard?: (event: TestEvent) => void
}

const TOGETHER = fileURLToPath(new URL('together/entry.ts', import.meta.url))

/** Test files in a process of their own, which is ended with everything it started when their time is over. */
export async function runTestFiles(files: Together, terms: Terms): Promise<FileRun> {
  const { limitSeconds, env = {}, heard = () => undefined } = terms
  const [first, ...others] = files
  const [entry, argv] = others.length === 0 ? [first, []] : [TOGETHER, files]
  const limit = new AbortController()
  const begun = new Set<string>()
  const events: TestEvent[] = []
  const start = performance.now()
  const timer = setTimeout(() => {
    const ofFile = descendants().filter(({ command }) => command.includes(first))
    endAll(ofFile.flatMap((process) => [process, ...descendants(process.pid)]))
    limit.abort(new TimeLimit(files, limitSeconds, begun))
  }, limitSeconds * 1000)
  try {
    const stream = run({
      files: [entry],
      argv: [...argv],
      signal: limit.signal,
      env: { ...process.env, ...env },
    })
    for await (const event of stream) {
      note(event, entry, begun)
      events.push(event)
      heard(event)
    }
  } finally {
    clearTimeout(timer)
  }
  return {
    files,
    seconds: (performance.now() - start) / 1000,
    events: events.filter((event) => !isClosingLine(event)),
    counts: countsIn(events),
    skipped: skippedIn(events),
  }
}

class TimeLimit extends Error {
  override readonly name = 'TimeLimit'

  constructor(files: readonly string[], seconds: number, begun: ReadonlySet<string>) {
    const during =
      begun.size > 0 ? `; not finished: ${[...begun].join(', ')}` : '; its tests had all finished'
    super(`${files.join(' ')} reached its limit of ${seconds} s and was ended${during}`)
  }
}

function note({ type, data }: TestEvent, entry: string, begun: Set<string>): void {
  if (type === 'test:dequeue' && data.name !== entry) begun.add(data.name)
  if (type === 'test:complete') begun.delete(data.name)
}

function isClosingLine({ type, data }: TestEvent): boolean {
  return type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0 && !data.file)
}

function countsIn(events: readonly TestEvent[]): Counts {
  const all = events.find(({ type, data }) => type === 'test:summary' && data.file === undefined)
  return all?.type === 'test:summary' ? { ...NOTHING, ...all.data.counts } : NOTHING
}

/** By their full names, since a runner's own count leaves out suites. */
function skippedIn(events: readonly TestEvent[]): readonly Skipped[] {
  const path: string[] = []
  return events.flatMap(({ type, data }) => {
    if (type === 'test:start') path.splice(data.nesting, Infinity, data.name)
    if (type !== 'test:pass' || data.skip === undefined) return []
    const names = [...path.slice(0, data.nesting), data.name]
    return [
      { file: data.file ?? '', name: names.join(' › '), reason: String(data.skip || 'no reason given') },
    ]
  })
}
