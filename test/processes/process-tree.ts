import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Every process that this one started, directly or not. */
export function descendants(of: number = process.pid): readonly RunningProcess[] {
  return below(of, existsSync('/proc/self/stat') ? fromProc() : fromPs())
}

/** Kills them even if they are busy; the parents first, since they could start others. */
export function endAll(processes: readonly RunningProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

function below(pid: number, all: readonly RunningProcess[]): readonly RunningProcess[] {
  const children = all.filter(({ parent }) => parent === pid)
  return [...children, ...children.flatMap((child) => below(child.pid, all))]
}

/** Without `ps`, which small images lack. */
function fromProc(): readonly RunningProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return [{ pid: Number(pid), parent: Number(parent), command }]
    } catch {
      // It ended while it was being read.
      return []
    }
  })
}

function fromPs(): readonly RunningProcess[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}
