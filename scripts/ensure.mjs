// Runs on whatever Node the machine has (20 or later): what must be there before the pinned one takes over.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const pinnedNode = join(root, 'node_modules/node/bin/node')

/** The locked packages, exactly; installs them where one is missing or another version. */
export function ensureInstalled() {
  if (isInstalled()) return
  say('Installing the locked packages (once) …')
  npm(['ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund'])
}

/** The web pages as their sources have them now. */
export function ensurePages() {
  ensureBuilt(
    'pages',
    'dist/web/.sources',
    ['web', 'src/http', 'package-lock.json'],
    ['node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn'],
  )
}

/** The program as its sources have it now; `bin/gatehouse` takes it from there. */
export function ensureProgram() {
  const sources = ['src', 'client', 'scripts/bundle.mjs', 'package-lock.json']
  ensureBuilt('program', 'dist/.sources', sources, ['scripts/bundle.mjs'])
}

/** By what the sources hold, not by their dates: a checkout there and back builds nothing. */
function ensureBuilt(what, markName, sources, build) {
  const mark = join(root, markName)
  // Less a tick of the clock that files are dated by.
  const asked = new Date(Date.now() - 10)
  const content = fingerprint(sources)
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== content) {
    say(`Building the ${what} (once) …`)
    rmSync(mark, { force: true })
    run(pinnedNode, build)
    writeFileSync(mark, content)
  }
  // For `bin/gatehouse`, which asks whether anything is newer.
  utimesSync(mark, asked, asked)
}

/** Hands over to the pinned Node: becomes it where this Node can (46 MB less), else ends with its exit code. */
export function handOver(args) {
  process.chdir(root)
  const env = pinnedEnvironment()
  if (process.execve) process.execve(pinnedNode, [pinnedNode, ...args], env)
  const child = spawn(pinnedNode, args, { stdio: 'inherit', env })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1))
}

export function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: pinnedEnvironment() })
  if (status !== 0) process.exit(status ?? 1)
}

export function runPinned(args) {
  run(pinnedNode, args)
}

export function say(line) {
  process.stderr.write(`${line}\n`)
}

function isInstalled() {
  const installedFile = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedFile) || !existsSync(pinnedNode)) return false
  const locked = packagesIn(join(root, 'package-lock.json'))
  const installed = packagesIn(installedFile)
  const isThere = ([place, { version, optional }]) =>
    installed[place] ? installed[place].version === version : optional === true
  return (
    Object.entries(locked)
      .filter(([place]) => place !== '')
      .every(isThere) && Object.keys(installed).every((place) => place in locked)
  )
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function fingerprint(sources) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap(filesIn).sort()) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesIn(source) {
  const path = join(root, source)
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function npm(args) {
  const script = process.env.npm_execpath
  if (script?.endsWith('.js')) run(process.execPath, [script, ...args])
  else run('npm', args)
}

/** Whatever is started from here finds the pinned Node first. */
function pinnedEnvironment() {
  return { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
}
