import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** What all processes of a server have used, in milliseconds: the running ones, and the ended children of the first. */
export function processorTimeOfAll(pids: readonly number[]): number {
  // User and system time of the process itself, and then of its ended children.
  const ticks = pids.flatMap((pid, i) => fieldsOf(pid).slice(11, i === 0 ? 15 : 13))
  return (ticks.reduce((sum, each) => sum + Number(each), 0) * 1000) / TICKS_PER_SECOND
}

/** The fields from the state on: the program's name before it can have spaces. None once the process has ended. */
function fieldsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}
