// Writes down which places of `src` each test file executes; `npm run mutations` asks for it.
import { appendFileSync, readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'

export interface Place {
  readonly file: string
  readonly offset: number
}

const { EXECUTED_PLACES = '', EXECUTED_INTO = '' } = process.env
const wanted: readonly (readonly Place[])[] = JSON.parse(readFileSync(EXECUTED_PLACES, 'utf8'))

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

beforeAll(async () => {
  await session.post('Profiler.takePreciseCoverage')
})

afterAll(async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const scripts = new Map(
    result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url, functions }) => [relative('.', fileURLToPath(url)), functions]),
  )
  const isExecuted = ({ file, offset }: Place) => countAt(scripts.get(file) ?? [], offset) > 0
  const executed = wanted.flatMap((places, i) => (places.some(isExecuted) ? [i] : []))
  const file = relative('.', expect.getState().testPath ?? '')
  appendFileSync(EXECUTED_INTO, `${JSON.stringify({ file, executed })}\n`)
  session.disconnect()
})

/** How often the innermost block around a place ran. */
function countAt(functions: readonly Profiler.FunctionCoverage[], offset: number): number {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
  const size = ({ startOffset, endOffset }: Profiler.CoverageRange) => endOffset - startOffset
  return around.toSorted((a, b) => size(a) - size(b))[0]?.count ?? 0
}
