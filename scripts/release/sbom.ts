import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { version } from '../../src/rules/version.ts'
import { root } from '../ensure.mjs'
import type { NodePackage } from './platforms.ts'

/** CycloneDX: the packages with code in the program or its pages, and Node. */
export async function billOfMaterials(nodes: readonly NodePackage[]): Promise<string> {
  const components = [...(await bundledPackages()).map(packageOf), ...nodes.map(nodeOf)]
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, components]))}`,
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': 'gatehouse', name: 'gatehouse', version },
    },
    components,
    dependencies: [{ ref: 'gatehouse', dependsOn: components.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** The folders of these packages, found as the builds find them. */
async function bundledPackages(): Promise<readonly string[]> {
  const threads = globSync('{src,client}/**/{*-thread,*-child}.ts', { cwd: root })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', ...threads, 'web/src/main.tsx', 'elements/src/elements.ts'],
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    loader: { '.css': 'empty', '.svg': 'empty' },
    external: ['pg-native', 'virtual:*'],
    logLevel: 'warning',
  })
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort()
}

function packageOf(folder: string) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return component(name, version, license)
}

function nodeOf({ name, version }: NodePackage) {
  return component(name, version, 'MIT')
}

function component(name: string, version: string, license: string) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { id: license } }] }
}

/** Depends on the content only. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')
}
