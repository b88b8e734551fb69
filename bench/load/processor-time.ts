import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** What a process has used so far, in milliseconds, without its children. 0 once it has ended. */
function processorTime(pid: number): number {
  const [, , , , , , , , , , , user, system] = fieldsOf(pid)
  return inMilliseconds(user, system)
}

/** Counts all processes of a server: the running ones, and those that were seen to end. */
export function processorTimeOfAll([first, ...rest]: readonly number[]): number {
  if (first === undefined) return 0
  const [, , , , , , , , , , , , , endedUser, endedSystem] = fieldsOf(first)
  const own = [first, ...rest].map(processorTime).reduce((sum, each) => sum + each, 0)
  return own + inMilliseconds(endedUser, endedSystem)
}

function inMilliseconds(...ticks: readonly (string | undefined)[]): number {
  return (ticks.reduce((sum, each) => sum + Number(each ?? 0), 0) * 1000) / TICKS_PER_SECOND
}

/** The fields from the state on: the program's name before it can have spaces. */
function fieldsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}
