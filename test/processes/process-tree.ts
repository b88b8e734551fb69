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

/** Undefined if the process has ended. */
function statOf(pid: number): { readonly state: string | undefined; readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}
