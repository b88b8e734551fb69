// `npm run mutations [-- n] [--seed SEED]`: makes n small faults in a copy of `src`, one at a time, and tells which ones
// `npm test` lets through. All tests run once without a fault; for each fault then those that execute its line.
import { execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { roomyMemory, temporaryFolder } from '../postgres/folder.ts'
import { type Place, WHILE_LOADING } from './places.ts'

const CAUGHT_OF_TEN = 9
const LIMIT_MILLISECONDS = 600_000
const FLIPPED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '>': '>=',
  '<=': '<',
  '>=': '>',
}

interface Fault {
  readonly kind: string
  readonly file: string
  readonly line: number
  readonly from: string
  readonly to: string
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
const wanted = Number(positionals[0] ?? 20)
const seed = values.seed ?? String(Date.now())
const say = (line: string) => process.stdout.write(`${line}\n`)

const parent = mkdtempSync(join(temporaryFolder([...roomyMemory(), '/tmp']), 'gatehouse-mutations-'))
// PostgreSQL runs as another user.
chmodSync(parent, 0o755)
process.once('exit', () => rmSync(parent, { recursive: true, force: true }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
process.env.TMPDIR = parent
const copy = join(parent, 'copy')
execFileSync('git', ['clone', '-q', '.', copy])
for (const made of ['node_modules', 'dist']) symlinkSync(resolve(made), join(copy, made))

const sources = new Map(globSync('src/**/*.ts').map((file) => [file, readFileSync(file, 'utf8').split('\n')]))
const faults = chosen([...sources.keys()].filter(isMutable).flatMap(faultsIn))
say(`${faults.length} faults with the seed ${seed}`)
const executing = await filesExecuting(faults.map(placesOf))
let caught = 0
for (const [i, fault] of faults.entries()) {
  const by = await caughtBy(fault, executing[i] ?? [])
  const { kind, file, line, from, to } = fault
  say(`${i + 1}. ${by ?? 'SURVIVED'}: ${kind} at ${file}:${line}\n   - ${from.trim()}\n   + ${to.trim()}`)
  if (by !== undefined) caught += 1
}
say(`${caught} of ${faults.length} caught`)
process.exit(caught * 10 >= faults.length * CAUGHT_OF_TEN ? 0 : 1)

/** True for code that the tests judge, so neither for texts nor for the steps that made today's tables. */
function isMutable(file: string): boolean {
  return /^src\/(features|http|database|platform|rules)\//.test(file) && !/\.test\.ts$|\/migrations\//.test(file)
}

function faultsIn(file: string): readonly Fault[] {
  return linesOf(file).flatMap((from, i) =>
    versionsOf(from).map(([kind, to]) => ({ kind, file, line: i + 1, from, to })),
  )
}

function versionsOf(line: string): readonly (readonly [kind: string, to: string])[] {
  if (/^\s*(\*|\/\/|\/\*|import )/.test(line)) return []
  const compared = /(?<=(?:if \(|return |&& |\|\| |\? |filter\(|while \().*) (===|!==|<=|>=|<|>) /.exec(line)
  // One millisecond more or less makes no difference to anybody.
  const limit = /^(?:export )?const (?!\w*MILLISECONDS)[A-Z_]+ = ([\d_]+)$/.exec(line)?.[1]
  const sign = compared?.[1] ?? ''
  return [
    ...(compared ? [['comparison', line.replace(` ${sign} `, ` ${FLIPPED[sign]} `)] as const] : []),
    ...(/^\s*if \(.*\) (throw |return\b)/.test(line) ? [['guard', ''] as const] : []),
    ...(/^\s*await [\w.#]+\(.*\)$/.test(line) ? [['await', line.replace('await ', 'void ')] as const] : []),
    ...(limit ? [['limit', line.replace(limit, String(Number(limit.replaceAll('_', '')) + 1))] as const] : []),
    ...(/^\s*\.where\(.*\)$/.test(line) ? [['where', ''] as const] : []),
  ]
}

/** Chooses as many of each kind, at most one in a file; the same for a seed. */
function chosen(all: readonly Fault[]): readonly Fault[] {
  const place = ({ file, line, kind }: Fault) => hash('sha256', `${seed} ${kind} ${file}:${line}`)
  const kinds = [
    ...Map.groupBy(
      all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
      ({ kind }) => kind,
    ),
  ]
  const taken = new Map<string, Fault>()
  const largest = Math.max(...kinds.map(([, faults]) => faults.length))
  for (let i = 0; i < largest; i += 1)
    for (const [, faults] of kinds) {
      const fault = faults[i]
      if (fault && taken.size < wanted && !taken.has(fault.file)) taken.set(fault.file, fault)
    }
  return [...taken.values()]
}

/** A limit counts where it is named, everything else where it stands. */
function placesOf({ kind, file, line, from }: Fault): readonly Place[] {
  if (kind !== 'limit') return [placeOf(file, line - 1)]
  const name = new RegExp(`\\b${/const ([A-Z_]+)/.exec(from)?.[1]}\\b`)
  return [...sources].flatMap(([user, lines]) =>
    lines.flatMap((text, i) =>
      name.test(text) && !/^(import|(export )?const [A-Z_]+ =) /.test(text) ? [placeOf(user, i)] : [],
    ),
  )
}

function placeOf(file: string, index: number): Place {
  const before = linesOf(file).slice(0, index).join('\n').length + (index > 0 ? 1 : 0)
  return { file, offset: before + (linesOf(file)[index] ?? '').search(/\S/) }
}

function linesOf(file: string): readonly string[] {
  return sources.get(file) ?? []
}

/** The test files that execute one of each list's places; every file if it runs only while modules are loaded. */
async function filesExecuting(wanted: readonly (readonly Place[])[]): Promise<readonly (readonly string[])[]> {
  const [places, into] = [join(parent, 'places.json'), join(parent, 'executed.jsonl')]
  writeFileSync(places, JSON.stringify(wanted))
  const failed = await failureIn([], [], { EXECUTED_PLACES: places, EXECUTED_INTO: into })
  if (failed) throw new Error(`Without a fault fails: ${failed.test}`)
  const found: { readonly file: string; readonly executed: readonly number[] }[] = readFileSync(into, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return wanted.map((_, i) => {
    const files = new Set(found.filter(({ executed }) => executed.includes(i)).map(({ file }) => file))
    if (files.size > 1) files.delete(WHILE_LOADING)
    return [...files]
  })
}

/** The first test that fails with the fault, or that the program does not even load. */
async function caughtBy({ file, line, to }: Fault, executing: readonly string[]): Promise<string | undefined> {
  if (executing.length === 0) return undefined
  const path = join(copy, file)
  const sound = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    sound
      .split('\n')
      .with(line - 1, to)
      .join('\n'),
  )
  try {
    return await firstFailure(executing)
  } finally {
    writeFileSync(path, sound)
  }
}

/** A failure counts that is there again: what fails now and then has not noticed the fault. */
async function firstFailure(files: readonly string[], unstable: readonly string[] = []): Promise<string | undefined> {
  const first = await failureIn(files, unstable)
  if (first === undefined) return undefined
  const { test, file } = first
  if (file === undefined || (await failureIn([file], [])) !== undefined) return test
  say(`unstable: ${test}`)
  return firstFailure(files, [...unstable, file])
}

async function failureIn(
  files: readonly string[],
  excluded: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly test: string; readonly file?: string } | undefined> {
  const args = ['run', '--bail=1', '--no-color', '--reporter=dot', '--project=sqlite', '--project=postgres']
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', ...args, ...excluded.flatMap((file) => ['--exclude', file]), ...files],
    {
      cwd: copy,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MILLISECONDS,
    },
  )
  const [[status], ...printed] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  if (status === 0) return undefined
  const [, test, file] = /^ *FAIL +(\|\w+\| (\S+).*)$/m.exec(printed.join('')) ?? []
  return test === undefined || file === undefined ? { test: `Vitest, which ended with ${status}` } : { test, file }
}
