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

/** Avoids `ps`, which small images lack. */
function parentsOfAll(): ReadonlyMap<number, number> {
  const parents = new Map<number, number>()
  if (!existsSync('/proc/self/stat')) return parents
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      parents.set(Number(name), Number(parent))
    } catch {
      // It ended while it was being read.
    }
  }
  return parents
}
