// `npm test` and `npm run proof`: which files run where is in `parts.ts`, this only starts the runners and adds up.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findChromium } from '../browser/support/chromium.ts'
import { roomyMemory, temporaryFolder } from '../postgres/folder.ts'
import { findExecutable } from '../processes/executable.ts'
import { descendants } from '../processes/process-tree.ts'
import { countOf, type Ended, failedFiles, type Outcome, ofPlaywright, ofVitest, together } from './outcome.ts'
import { BROWSER_FILES, BY_NAME, PROOF_PROJECTS, type Project, TEST_PROJECTS } from './parts.ts'

const VITEST = 'node_modules/vitest/vitest.mjs'
const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js'

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    proof: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'sqlite' },
    watch: { type: 'boolean', default: false },
  },
})
const folder = writeIntoOneFolder()
// Hundreds of files load the same modules.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled')

const start = performance.now()
const unstable: string[] = []
const outcome = await (values.proof ? proof(words) : words.length > 0 ? named(words) : everything())
process.exit(closed(outcome))

/** Runs for each change. */
async function everything(): Promise<Outcome> {
  const [inProcess, journeys] = await Promise.all([vitest(TEST_PROJECTS, []), playwright('journeys', [])])
  return together([inProcess, journeys])
}

/** The long rest. A file that fails is run once more, alone: if it then passes it is unstable, which is counted. */
async function proof(parts: readonly string[]): Promise<Outcome> {
  const known = [...PROOF_PROJECTS.map(({ name }) => name.replace('proof-', '')), 'pages']
  const unknown = parts.find((part) => !known.includes(part))
  if (unknown !== undefined) throw new Error(`no part is called ${unknown}; there are ${known.join(', ')}`)
  const isWanted = (part: string) => (parts.length === 0 ? !BY_NAME.includes(part) : parts.includes(part))
  const outcomes: Outcome[] = []
  const projects = PROOF_PROJECTS.filter(({ name }) => isWanted(name.replace('proof-', '')))
  if (projects.length > 0) {
    const first = await vitest(projects, [])
    outcomes.push(await again(first, (file) => vitest(projects, [file])))
  }
  if (isWanted('engines')) outcomes.push(await inOwnChromium())
  if (isWanted('pages')) {
    const first = await playwright('pages', [])
    outcomes.push(await again(first, (file) => playwright('pages', [file])))
  }
  return together(outcomes)
}

/** The journeys in the Chromium of this machine, which can be newer than the packaged one. */
async function inOwnChromium(): Promise<Outcome> {
  const CHROMIUM_PATH = findExecutable('chromium', 'chromium-browser', 'google-chrome')
  if (CHROMIUM_PATH === undefined) {
    const title = 'in the Chromium of this machine, which has none'
    return { results: [{ file: 'test/browser/journeys', title, state: 'skipped' }], reasons: [] }
  }
  const journeys = (files: readonly string[]) => playwright('journeys', files, { CHROMIUM_PATH })
  return again(await journeys([]), (file) => journeys([file]))
}

async function again(first: Outcome, run: (file: string) => Promise<Outcome>): Promise<Outcome> {
  let all = first
  for (const file of failedFiles(first)) {
    const second = await run(file)
    if (failedFiles(second).length > 0 || second.results.length === 0) continue
    unstable.push(file)
    all = { ...all, results: [...all.results.filter((result) => result.file !== file), ...second.results] }
  }
  return all
}

/** Files whose path has the words in it, else tests whose title has them: on SQLite unless told otherwise. */
async function named(patterns: readonly string[]): Promise<Outcome> {
  const isWanted = ({ engine }: Project) => engine === values.engine
  const projects = [...TEST_PROJECTS, ...PROOF_PROJECTS].filter(isWanted)
  const inPaths = (file: string) => patterns.some((pattern) => file.includes(pattern))
  const inTitles = (file: string) => patterns.some((pattern) => readFileSync(file, 'utf8').includes(pattern))
  const all = globSync([...projects.flatMap(({ include }) => include), BROWSER_FILES])
  const byPath = all.filter(inPaths)
  const files = [...new Set(byPath.length > 0 ? byPath : all.filter(inTitles))]
  const title = byPath.length > 0 ? [] : ['-t', patterns.map(escaped).join('|')]
  const inBrowser = files.filter((file) => file.endsWith('.e2e.ts'))
  const others = files.filter((file) => !inBrowser.includes(file))
  if (files.length === 0) throw new Error(`no file and no title has ${patterns.join(', ')} in it`)
  const outcomes: Outcome[] = []
  // The first project that has a file runs it, so that none runs twice on one engine.
  const taken = new Set<string>()
  for (const project of projects) {
    const key = (file: string) => `${project.engine} ${file}`
    const mine = others.filter((file) => contains(project, file) && !taken.has(key(file)))
    for (const file of mine) taken.add(key(file))
    if (mine.length > 0) outcomes.push(await vitest([project], [...mine, ...title]))
  }
  const grep = title.length > 0 ? ['-g', title[1] ?? ''] : []
  if (inBrowser.length > 0) outcomes.push(await playwright(undefined, [...inBrowser, ...grep]))
  return together(outcomes)
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function contains({ include, exclude }: Project, file: string): boolean {
  return globSync([...include], { exclude: [...exclude] }).includes(file)
}

async function vitest(projects: readonly Project[], args: readonly string[]): Promise<Outcome> {
  const report = join(folder, `vitest-${performance.now()}.json`)
  const names = projects.flatMap(({ name }) => ['--project', name])
  if (values.watch) {
    await runner([VITEST, ...names, ...args], {})
    return together([])
  }
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const ended = await runner([VITEST, 'run', ...names, ...reporters, '--passWithNoTests', ...args], {})
  return ofVitest(report, ended)
}

async function playwright(
  project: string | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  // Unpacks it before any worker needs it, so that no two do so beside each other.
  await findChromium()
  const report = join(folder, `playwright-${performance.now()}.json`)
  const which = project === undefined ? [] : [`--project=${project}`]
  const ended = await runner([PLAYWRIGHT, 'test', ...which, '--reporter=list,json', ...args], {
    ...env,
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
  })
  return ofPlaywright(report, ended)
}

async function runner(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    stdio: ['inherit', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text)
    said = (said + text).slice(-4000)
  })
  const [code] = await once(child, 'close')
  return { status: typeof code === 'number' ? code : 1, said }
}

/** Says what ran and what did not; the last line is read by programs. */
function closed(all: Outcome): number {
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const shown = (file: string) => relative(process.cwd(), resolve(file))
  for (const { file, title, state, message = '' } of all.results) {
    if (state !== 'passed') say(`${state}: ${shown(file)} › ${title}`)
    if (state === 'failed') say(message.slice(0, 2000))
  }
  for (const reason of all.reasons) say(reason)
  for (const file of unstable) say(`unstable: ${shown(file)}`)
  say(`Took ${((performance.now() - start) / 1000).toFixed(0)} s, unstable: ${unstable.length}`)
  const skipped = countOf(all, 'skipped')
  const isCut = Boolean(process.env.CI) && skipped > 0
  if (isCut) say('CI is set: nothing may be skipped there')
  const failed = countOf(all, 'failed') + all.reasons.length
  say(`${countOf(all, 'passed')} passed, ${failed} failed, ${skipped} skipped`)
  return failed === 0 && !isCut && (all.results.length > 0 || values.watch) ? 0 : 1
}

/** Tests write into one folder, and nothing that they start outlives this process. */
function writeIntoOneFolder(): string {
  const parent = temporaryFolder([...roomyMemory(), tmpdir(), '/tmp', '/var/tmp'])
  const made = mkdtempSync(join(parent, 'gatehouse-tests-'))
  chmodSync(made, 0o755)
  process.env.TMPDIR = made
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => process.exit(1))
  process.once('exit', () => {
    for (const pid of descendants(process.pid)) kill(pid)
    rmSync(made, { recursive: true, force: true, maxRetries: 5 })
  })
  return made
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has ended in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
