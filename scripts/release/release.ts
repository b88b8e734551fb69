// Makes `release/`: the program as one executable file for each platform, the package with documents and units, what
// they are made of, and checksums of all that.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { version } from '../../src/rules/version.ts'
import { root, say } from '../ensure.mjs'
import { signed, withoutLocalSymbols } from './mach-o.ts'
import { wrap } from './modules.ts'
import { nodeProgram } from './node-program.ts'
import { MAKERS, NODE_FOR_DARWIN, NODE_FOR_LINUX, type NodePackage } from './platforms.ts'
import { billOfMaterials } from './sbom.ts'

const MOST_BYTES = 140_000_000

const DARWIN = 'darwin-arm64'
/** The same as those of `bin/gatehouse`. */
const OPTIONS = ['--max-semi-space-size=16']

const release = join(root, 'release')
const folder = join(root, 'node_modules/.cache/release')
const wrapped = join(folder, 'wrapped')
const wanted = process.argv.slice(2)
const nodes = { ...NODE_FOR_LINUX, [DARWIN]: NODE_FOR_DARWIN }
const unknown = wanted.filter((name) => !(name in nodes))
if (unknown.length > 0) throw new Error(`no platform ${unknown}; there are ${Object.keys(nodes)}`)
const platforms = Object.entries(nodes).filter(([name]) => wanted.length === 0 || wanted.includes(name))
const parts = await partsOfProgram()

rmSync(release, { recursive: true, force: true })
mkdirSync(release)
const files = [await packed(), join(release, `gatehouse-${version}.cdx.json`)]
writeFileSync(files[1] ?? '', await billOfMaterials(platforms.map(([, node]) => node)))
for (const [name, node] of platforms) {
  say(`gatehouse-${name} …`)
  const file = join(release, `gatehouse-${name}`)
  if (name === DARWIN) makeForDarwin(file, node)
  else makeForLinux(file, node)
  chmodSync(file, 0o755)
  const { size } = statSync(file)
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}`)
  files.push(file)
}
writeFileSync(join(release, 'SHA256SUMS'), files.map(checksum).join(''))

/** Documents, units and proxy files are in the package only. */
async function packed(): Promise<string> {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', release], {
      cwd: root,
      encoding: 'utf8',
    }),
  )
  return join(release, filename)
}

/** The data that Node finds in its own program, for each platform alike. None of it is machine code. */
async function partsOfProgram() {
  mkdirSync(wrapped, { recursive: true })
  const main = join(folder, 'embedded.cjs')
  await build({
    entryPoints: [join(root, 'scripts/release/embedded.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
  })
  return {
    main,
    disableExperimentalSEAWarning: true,
    execArgv: OPTIONS,
    assets: { 'embedded.cjs': main, ...modules(), ...assets() },
  }
}

function modules(): Readonly<Record<string, string>> {
  const names = globSync('*.cjs', { cwd: join(root, 'dist') })
  for (const name of names) writeFileSync(join(wrapped, name), wrap(readFileSync(join(root, 'dist', name), 'latin1')))
  return Object.fromEntries(names.map((name) => [`modules/${name}`, join(wrapped, name)]))
}

/** Files that the program reads, by their paths in the build. */
function assets(): Readonly<Record<string, string>> {
  const names = [
    ...globSync('dist/{*.txt,documents.json}', { cwd: root }),
    ...globSync('dist/web/**/*.*', { cwd: root }),
  ]
  return Object.fromEntries(names.filter((name) => !name.includes('/.')).map((name) => [name, join(root, name)]))
}

/** Code that V8 compiles is for one version of it and one kind of processor, so only this machine's can be made. */
function compiledFor(program: string): Readonly<Record<string, string>> {
  if (program !== process.execPath) return {}
  const names = ['client.cjs', 'server.cjs']
  const script = join(root, 'scripts/release/compile.ts')
  execFileSync(program, [...OPTIONS, script, wrapped, ...names], { stdio: 'pipe', env: { PATH: process.env.PATH } })
  return Object.fromEntries(names.map((name) => [`compiled/${name}`, join(wrapped, `${name}.compiled`)]))
}

function makeForLinux(file: string, node: NodePackage): void {
  const program = nodeProgram(node)
  copyFileSync(program, file)
  chmodSync(file, 0o755)
  const blob = join(folder, 'program.blob')
  const settings = { ...parts, assets: { ...parts.assets, ...compiledFor(program) }, output: blob }
  execFileSync(process.execPath, ['--experimental-sea-config', written(settings)], { stdio: 'pipe' })
  const postject = join(root, 'node_modules/postject/dist/cli.js')
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
  execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], {
    stdio: 'pipe',
  })
}

/** This Node puts the parts into its own program, and takes Apple's signature of it away. */
function makeForDarwin(file: string, node: NodePackage): void {
  const maker = MAKERS[`${process.platform}-${process.arch}`]
  if (!maker) throw new Error(`${DARWIN} cannot be made on ${process.platform}-${process.arch}`)
  const output = join(folder, 'program-for-darwin')
  const settings = { ...parts, output, executable: nodeProgram(node) }
  execFileSync(nodeProgram(maker), ['--build-sea', written(settings)], { stdio: 'pipe' })
  writeFileSync(file, signed(withoutLocalSymbols(readFileSync(output)), 'gatehouse'))
}

function written(settings: object): string {
  const file = join(folder, 'program.json')
  writeFileSync(file, JSON.stringify(settings))
  return file
}

function checksum(file: string): string {
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  return `${sum}  ${file.slice(release.length + 1)}\n`
}
