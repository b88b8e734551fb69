import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../ensure.mjs'
import type { NodePackage } from './platforms.ts'

const kept = join(root, 'node_modules/.cache/release')

/** Node's program from its package: the one that runs this, or fetched once. */
export function nodeProgram({ name, version, integrity }: NodePackage): string {
  if (name === `node-${process.platform}-${process.arch}` && `v${version}` === process.version) return process.execPath
  const folder = join(kept, `${name}-${version}`)
  const program = join(folder, 'package/bin/node')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', kept])
  const archive = join(kept, `${name}-${version}.tgz`)
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== integrity) throw new Error(`${archive} is not what was expected: ${found}`)
  execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node'])
  return program
}
