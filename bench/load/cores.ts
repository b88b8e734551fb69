import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const canPin = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() >= 2

/** If the machine allows it, servers have one core and the load generator another. */
export const cores = { server: '0', load: '1', all: `0-${availableParallelism() - 1}`, isPinned: canPin }

export type Program = readonly [command: string, ...args: string[]]

export function pinned(core: string, program: Program): Program {
  return canPin ? ['taskset', '-c', core, ...program] : program
}
