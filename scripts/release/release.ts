// Makes `release/`: the program as one executable file for each platform, the package with documents and units, what
// they are made of, and checksums of all that.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { version } from '../../src/rules/version.ts'
import { root, say } from '../ensure.mjs'
import { nodeProgram } from './node-program.ts'
import { NODE_FOR_LINUX, type NodePackage } from './platforms.ts'
import { billOfMaterials } from './sbom.ts'

const MOST_BYTES = 140_000_000

const release = join(root, 'release')
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in NODE_FOR_LINUX))
if (unknown.length > 0) throw new Error(`no platform ${unknown}; there are ${Object.keys(NODE_FOR_LINUX)}`)
const platforms = Object.entries(NODE_FOR_LINUX).filter(
  ([name]) => wanted.length === 0 || wanted.includes(name),
)

rmSync(release, { recursive: true, force: true })
mkdirSync(release)
const files = [await packed(), join(release, `gatehouse-${version}.cdx.json`)]
writeFileSync(files[1] ?? '', await billOfMaterials(platforms.map(([, node]) => node)))
const blob = await blobOfProgram()
for (const [name, node] of platforms) files.push(executable(name, node, blob))
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

/** What Node looks for in its own program. It has no machine code, so it is the same for every processor. */
async function blobOfProgram(): Promise<string> {
  const folder = join(root, 'node_modules/.cache/release')
  mkdirSync(folder, { recursive: true })
  const main = join(folder, 'embedded.cjs')
  await build({
    entryPoints: [join(root, 'scripts/release/embedded.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
  })
  const output = join(folder, 'program.blob')
  const settings = {
    main,
    output,
    disableExperimentalSEAWarning: true,
    // As `bin/gatehouse` starts it.
    execArgv: ['--max-semi-space-size=16'],
    assets: { 'embedded.cjs': main, ...assets() },
  }
  writeFileSync(join(folder, 'program.json'), JSON.stringify(settings))
  execFileSync(process.execPath, ['--experimental-sea-config', join(folder, 'program.json')], {
    stdio: 'pipe',
  })
  return output
}

/** The build, by its paths; without the packages for products and the marks of the build. */
function assets(): Readonly<Record<string, string>> {
  const names = [
    ...globSync('dist/*.{mjs,txt}', { cwd: root }),
    ...globSync('dist/web/**/*.*', { cwd: root }),
  ]
  return Object.fromEntries(
    names.filter((name) => !name.includes('/.')).map((name) => [name, join(root, name)]),
  )
}

function executable(name: string, node: NodePackage, blob: string): string {
  say(`gatehouse-${name} …`)
  const file = join(release, `gatehouse-${name}`)
  copyFileSync(nodeProgram(node), file)
  chmodSync(file, 0o755)
  const postject = join(root, 'node_modules/postject/dist/cli.js')
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
  execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], {
    stdio: 'pipe',
  })
  const { size } = statSync(file)
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}`)
  return file
}

function checksum(file: string): string {
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  return `${sum}  ${file.slice(release.length + 1)}\n`
}
