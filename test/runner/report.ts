import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { type Counts, type FileRun, NOTHING } from './run-file.ts'

/** The files that ran on one engine. */
export interface Part {
  readonly name: string
  readonly runs: readonly FileRun[]
}

export function line(text: string): TestEvent {
  return { type: 'test:stdout', data: { message: `${text}\n`, file: '' } }
}

/** What ran, what took longest, and what was skipped and why: one line each. */
export function summary(parts: readonly Part[]): readonly string[] {
  const skipped = skips(parts)
  return [
    '',
    ...parts.map(
      ({ name, runs }) =>
        `Ran on ${name}: ${runs.flatMap(({ files }) => files).length} files, ${total(runs).tests} tests`,
    ),
    `Longest: ${longest(parts).join(', ')}`,
    ...(skipped.length === 0 ? ['Skipped: nothing'] : skipped),
  ]
}

/** As node's own runner closes, for all parts together. */
export function closingLines(parts: readonly Part[], seconds: number): readonly TestEvent[] {
  const counts = total(parts.flatMap(({ runs }) => runs))
  const { tests, suites, passed, failed, cancelled, skipped, todo } = counts
  const figures = { tests, suites, pass: passed, fail: failed, cancelled, skipped, todo }
  const duration_ms = seconds * 1000
  const closing = Object.entries({ ...figures, duration_ms }).map(([name, figure]): TestEvent => {
    return { type: 'test:diagnostic', data: { nesting: 0, level: 'info', message: `${name} ${figure}` } }
  })
  const success = failed + cancelled === 0
  const data = { success, counts: { ...counts, topLevel: tests }, duration_ms, file: undefined }
  return [...closing, { type: 'test:summary', data }]
}

/** Why the run as a whole fails; empty if it does not. */
export function failures(parts: readonly Part[], isCi: boolean): readonly string[] {
  const { tests, failed, cancelled } = total(parts.flatMap(({ runs }) => runs))
  const skipped = skips(parts).length
  return [
    ...(tests === 0 ? ['no test ran'] : []),
    ...(failed + cancelled > 0 ? [failedTests(failed + cancelled)] : []),
    ...(isCi && skipped > 0 ? [`${skipped} skipped, and CI is set: nothing may be skipped there`] : []),
  ]
}

function failedTests(count: number): string {
  return `${count} ${count === 1 ? 'test' : 'tests'} failed`
}

function skips(parts: readonly Part[]): readonly string[] {
  return parts.flatMap(({ name: part, runs }) =>
    runs.flatMap(({ skipped }) =>
      skipped.map(({ file, name, reason }) => `Skipped on ${part}: ${shown(file)} › ${name} (${reason})`),
    ),
  )
}

function longest(parts: readonly Part[]): readonly string[] {
  return parts
    .flatMap(({ runs }) => runs)
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 6)
    .map((run) => `${named(run)} ${run.seconds.toFixed(0)} s`)
}

function named({ files: [first, ...others] }: FileRun): string {
  return others.length === 0 ? shown(first) : `${shown(first)} and ${others.length} more`
}

function total(runs: readonly FileRun[]): Counts {
  return runs.reduce((sum: Counts, { counts }) => add(sum, counts), NOTHING)
}

function add(one: Counts, other: Counts): Counts {
  return {
    tests: one.tests + other.tests,
    suites: one.suites + other.suites,
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
    skipped: one.skipped + other.skipped,
    todo: one.todo + other.todo,
  }
}

function shown(file: string): string {
  return relative(process.cwd(), file)
}
