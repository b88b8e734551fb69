// Runs on whatever Node the machine has (20 or later): what must be there before the pinned one takes over.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const pinnedNode = join(root, 'node_modules/node/bin/node')

/** The locked packages, exactly; installs them if one is missing or has another version. */
export function ensureInstalled() {
  if (isInstalled()) return
  say('Installing the locked packages (once) …')
  npm(['ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund'])
  if (existsSync(pinnedNode)) return
  say('The package `node` did not bring its program: npm must be allowed to run install scripts (ignore-scripts)')
  process.exit(1)
}

/** The web pages, built from their sources as they are now. */
export function ensurePages() {
  ensureBuilt(
    'pages',
    'dist/web/.sources',
    ['web', 'elements', 'src/http', 'package-lock.json'],
    ['node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn'],
  )
}

/** The program, built from its sources as they are now; `bin/gatehouse` runs what was built. */
export function ensureProgram() {
  const sources = ['src', 'client', 'packages', 'scripts/bundle.ts', 'scripts/packages', 'package-lock.json']
  ensureBuilt('program', 'dist/.sources', sources, ['scripts/bundle.ts'])
}

/** The documents, rendered; the service reads them when somebody opens one. */
export function ensureDocuments() {
  const sources = ['docs', 'scripts/documents', 'src/http/documents/library.ts', 'package-lock.json']
  ensureBuilt('documents', 'dist/.documents', sources, ['scripts/documents/build.ts'])
}

/**
 * Compares the sources' content, not their dates: a checkout there and back builds nothing. They are only read
 * if one of them was touched since the last comparison, because reading them takes longer than all the rest.
 * @param {string} what
 * @param {string} markName
 * @param {readonly string[]} sources
 * @param {readonly string[]} build
 */
function ensureBuilt(what, markName, sources, build) {
  const mark = join(root, markName)
  // Minus one tick, because file timestamps are coarser than Date.now().
  const now = new Date(Date.now() - 10)
  const files = sources.flatMap(filesIn).sort()
  const touched = lastTouched(files, now)
  const [builtContent, builtTouched] = existsSync(mark) ? readFileSync(mark, 'utf8').split('\n') : []
  if (touched === undefined || touched !== builtTouched) {
    const content = contentOf(files)
    if (content !== builtContent) {
      say(`Building the ${what} (once) …`)
      rmSync(mark, { force: true })
      runPinned(build)
    }
    writeFileSync(mark, `${content}\n${touched ?? ''}`)
  }
  // `bin/gatehouse` looks for anything newer than this.
  utimesSync(mark, now, now)
}

/**
 * Hands over to the pinned Node: becomes it if this Node can (46 MB less), else ends with its exit code.
 * @param {readonly string[]} args
 */
export function handOver(args) {
  process.chdir(root)
  const env = pinnedEnvironment()
  if (process.execve) process.execve(pinnedNode, [pinnedNode, ...args], env)
  const child = spawn(pinnedNode, args, { stdio: 'inherit', env })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
}

/** @param {readonly string[]} args */
export function runPinned(args) {
  run(pinnedNode, args)
}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: pinnedEnvironment(),
  })
  if (error) say(`${command} cannot be run: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

function isInstalled() {
  const installedFile = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedFile) || !existsSync(pinnedNode)) return false
  const locked = packagesIn(join(root, 'package-lock.json'))
  const installed = packagesIn(installedFile)
  const isThere = Object.entries(locked).every(([path, { version, optional }]) => {
    const found = installed[path]
    return path === '' || (found ? found.version === version : optional === true)
  })
  return isThere && Object.keys(installed).every((path) => path in locked)
}

/** @typedef {{ version: string, optional?: boolean }} Package */

/**
 * @param {string} file
 * @returns {Record<string, Package>}
 */
function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/** @param {readonly string[]} files */
function contentOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file))
  return hash.digest('hex')
}

/**
 * Changes with every file that is written, added, removed or copied. Undefined while one is so new that it could
 * be written again within the same tick.
 * @param {readonly string[]} files
 * @param {Date} now
 */
function lastTouched(files, now) {
  const hash = createHash('sha256')
  for (const file of files) {
    const { ino, size, ctimeMs } = statSync(file)
    if (ctimeMs >= now.getTime()) return undefined
    hash.update(`${file} ${ino} ${size} ${ctimeMs}\n`)
  }
  return hash.digest('hex')
}

/**
 * @param {string} source
 * @returns {string[]}
 */
function filesIn(source) {
  const path = join(root, source)
  return statSync(path).isDirectory() ? filesBelow(path) : [path]
}

/**
 * Three times as fast as a recursive `readdirSync`.
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** @param {readonly string[]} args */
function npm(args) {
  const script = process.env.npm_execpath
  if (script?.endsWith('.js')) run(process.execPath, [script, ...args])
  else run('npm', args)
}

/** Puts the pinned Node first in the path of everything that is started from here. */
function pinnedEnvironment() {
  return { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
}
