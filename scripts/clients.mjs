// `node scripts/clients.mjs`: fetches other people's clients for the tests of them, each kind from its own registry, and
// prints the registries that did not deliver. Only tests ever use what is fetched here.
import { spawn } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LIMIT_MILLISECONDS = 240_000
const root = fileURLToPath(new URL('..', import.meta.url))
const lists = join(root, 'test/journeys/strangers/packages')
const fetched = join(root, 'node_modules/.cache/clients')
const maven = ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=packages']
const pip = [
  '-m',
  'pip',
  'install',
  '-q',
  '--no-deps',
  '--disable-pip-version-check',
  '--root-user-action=ignore',
  '--target=packages',
]

const COMMANDS = {
  npm: ['npm', 'ci', '--loglevel=error'],
  pip: ['python3', ...pip, '-r', 'requirements.txt'],
  go: ['go', 'build', '-o', 'built', '.'],
  'oauth2-proxy': ['go', 'build', 'tool'],
  maven: ['mvn', ...maven],
}

const outcomes = await Promise.all(Object.entries(COMMANDS).map(([registry, command]) => fetchFrom(registry, command)))
console.log(outcomes.filter((registry) => registry !== undefined).join(' '))

/**
 * @param {string} registry
 * @param {readonly string[]} command
 */
async function fetchFrom(registry, command) {
  const folder = join(fetched, registry)
  await rm(folder, { recursive: true, force: true })
  await mkdir(fetched, { recursive: true })
  await cp(join(lists, registry), folder, { recursive: true })
  if (registry === 'go') await cp(join(root, 'examples/clients/go-oidc.go'), join(folder, 'go-oidc.go'))
  if (!(await succeeds(command, folder))) return registry
  await writeFile(join(folder, 'complete'), '')
  return undefined
}

/**
 * @param {readonly string[]} command
 * @param {string} cwd
 */
async function succeeds([program = '', ...args], cwd) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 2, 'inherit'], timeout: LIMIT_MILLISECONDS })
  const code = await new Promise((resolve) => child.once('error', resolve).once('close', resolve))
  return code === 0
}
