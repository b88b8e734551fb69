// Writes down which places of `src` each test file executes; `npm run mutations` asks for it.
import { appendFileSync, readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Place, WHILE_LOADING } from './places.ts'

const { EXECUTED_PLACES = '', EXECUTED_INTO = '' } = process.env
const wanted: readonly (readonly Place[])[] = JSON.parse(readFileSync(EXECUTED_PLACES, 'utf8'))

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

beforeAll(() => note(WHILE_LOADING))

afterAll(async () => {
  await note(relative('.', expect.getState().testPath ?? ''))
  session.disconnect()
})

/** Notes what ran since the last note. */
async function note(file: string): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const scripts = new Map(
    result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url, functions }) => [relative('.', fileURLToPath(url)), functions]),
  )
  const isExecuted = ({ file, offset }: Place) => countAt(scripts.get(file) ?? [], offset) > 0
  const executed = wanted.flatMap((places, i) => (places.some(isExecuted) ? [i] : []))
  appendFileSync(EXECUTED_INTO, `${JSON.stringify({ file, executed })}\n`)
}

/** The number of times that the innermost block around a place ran. */
function countAt(functions: readonly Profiler.FunctionCoverage[], offset: number): number {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
  const size = ({ startOffset, endOffset }: Profiler.CoverageRange) => endOffset - startOffset
  return around.toSorted((a, b) => size(a) - size(b))[0]?.count ?? 0
}
