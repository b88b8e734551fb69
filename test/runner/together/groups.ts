import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ON_STORES } from '../on-stores.ts'

const FILES_IN_A_PROCESS = 8

/** Hooks of the whole file, replaced timers or globals, and figures of the process would reach the tests of others. */
const SHARED = /^(before|after|beforeEach|afterEach)\(|mock\.timers|globalThis|process\./m

export type Together = readonly [string, ...string[]]

/** Which files run in one process. Those that are alone come first, since they take longer. */
export function together(files: readonly string[]): readonly Together[] {
  const onStores = new Set(globSync([...ON_STORES]).map((file) => resolve(file)))
  const canShare = (file: string) => onStores.has(resolve(file)) && !SHARED.test(readFileSync(file, 'utf8'))
  const sharing = files.filter(canShare)
  const alone = files.filter((file) => !canShare(file)).map((file): Together => [file])
  return [...alone, ...inGroups(sharing)]
}

function inGroups(files: readonly string[]): readonly Together[] {
  const [first, ...others] = files.slice(0, FILES_IN_A_PROCESS)
  if (first === undefined) return []
  return [[first, ...others], ...inGroups(files.slice(FILES_IN_A_PROCESS))]
}
