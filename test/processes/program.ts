import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ended } from './terminal/terminal.ts'

export const programPath = fileURLToPath(new URL('../../bin/gatehouse', import.meta.url))

/** Lets a shell find the program by its name. */
export const shellEnvironment = { PATH: [dirname(programPath), process.env.PATH].join(delimiter) }

/** The real executable, as a shell starts it. */
export function startProgram(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  return spawn(programPath, argv, {
    env: { PATH: process.env.PATH, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  })
}

export async function runProgram(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<Ended> {
  const child = startProgram(argv, env, input === undefined ? 'ignore' : 'pipe')
  child.stdin?.end(input)
  const screen = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    screen.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    screen.err += chunk
  })
  const [code] = await once(child, 'close')
  return { code, ...screen }
}
