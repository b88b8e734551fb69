import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The ids of every process that this one started, directly or not, on Linux. */
export function descendants(of: number): readonly number[] {
  const parents = parentsOfAll()
  const below = (pid: number): number[] => {
    const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child)
    return [...children, ...children.flatMap(below)]
  }
  return below(of)
}

/** Whether a process runs, on Linux; one that has ended, and waits for somebody to take note of it, does not. */
export function isRunning(pid: number): boolean {
  const found = statOf(pid)
  return found !== undefined && found.state !== 'Z'
}

/** Avoids `ps`, which small images lack. */
function parentsOfAll(): ReadonlyMap<number, number> {
  const parents = new Map<number, number>()
  if (!existsSync('/proc/self/stat')) return parents
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const found = statOf(Number(name))
    if (found) parents.set(Number(name), found.parent)
  }
  return parents
}

/** Undefined if the process has ended. `fields` begin with the state: the program's name before it can have spaces. */
export function statOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], parent: Number(fields[1]), fields }
  } catch {
    return undefined
  }
}
