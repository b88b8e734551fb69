import { existsSync, readFileSync } from 'node:fs'

export interface Result {
  readonly file: string
  readonly title: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** The message of a failed test, so that the end of a long log repeats it. */
  readonly message?: string | undefined
}

/** The result of one run of a runner. */
export interface Outcome {
  readonly results: readonly Result[]
  /** Reasons for a failure other than a test's, for example that a statement read a whole table. */
  readonly reasons: readonly string[]
}

/** The exit code of a runner, and the end of its standard error. */
export interface Ended {
  readonly status: number
  readonly said: string
}

export function together(outcomes: readonly Outcome[]): Outcome {
  return {
    results: outcomes.flatMap(({ results }) => results),
    reasons: outcomes.flatMap(({ reasons }) => reasons),
  }
}

export function countOf({ results }: Outcome, state: Result['state']): number {
  return results.filter((result) => result.state === state).length
}

export function failedFiles({ results }: Outcome): readonly string[] {
  return [...new Set(results.filter(({ state }) => state === 'failed').map(({ file }) => file))]
}

export function ofVitest(report: string, ended: Ended): Outcome {
  const { testResults = [] } = read<VitestReport>(report)
  const results = testResults.flatMap(({ name: file, status: ofFile, message, assertionResults }) => {
    const tests = assertionResults.map(
      ({ fullName, status: ofTest, failureMessages }): Result => ({
        file,
        title: fullName,
        state: STATES[ofTest] ?? 'skipped',
        message: failureMessages?.[0],
      }),
    )
    const isBroken = ofFile === 'failed' && !tests.some(({ state }) => state === 'failed')
    return isBroken ? [...tests, { file, title: 'the file itself', state: 'failed' as const, message }] : tests
  })
  return { results, reasons: unexplained('Vitest', ended, results) }
}

export function ofPlaywright(report: string, ended: Ended): Outcome {
  const { suites = [] } = read<PlaywrightReport>(report)
  const results = suites.flatMap((suite) => inSuite(suite, suite.file))
  return { results, reasons: unexplained('Playwright', ended, results) }
}

function inSuite({ title, specs, suites = [] }: Suite, file: string): readonly Result[] {
  const own = specs.flatMap((spec) =>
    spec.tests.map(
      ({ status, results }): Result => ({
        file: `test/browser/${file}`,
        title: `${title} › ${spec.title}`,
        state: STATES[status] ?? 'failed',
        message: results[0]?.error?.message,
      }),
    ),
  )
  return [...own, ...suites.flatMap((inner) => inSuite(inner, file))]
}

function unexplained(runner: string, { status, said }: Ended, results: readonly Result[]): readonly string[] {
  const isExplained = status === 0 || results.some(({ state }) => state === 'failed')
  return isExplained ? [] : [`${runner} ended with ${status}, though no test failed. It said last:\n${said}`]
}

const STATES: Readonly<Record<string, Result['state']>> = {
  passed: 'passed',
  failed: 'failed',
  expected: 'passed',
  unexpected: 'failed',
  flaky: 'failed',
}

interface VitestReport {
  readonly testResults?: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

interface PlaywrightReport {
  readonly suites?: readonly Suite[]
}

interface Suite {
  readonly title: string
  readonly file: string
  readonly specs: readonly {
    readonly title: string
    readonly tests: readonly {
      readonly status: string
      readonly results: readonly { readonly error?: { readonly message?: string } }[]
    }[]
  }[]
  readonly suites?: readonly Suite[]
}

/** A runner that could not begin leaves no report. */
function read<Report extends object>(report: string): Partial<Report> {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
}
