import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The environment for a server whose disk takes this long for a flush; uses this machine's C compiler. */
export function slowFlush(milliseconds: number, folder: string): Readonly<Record<string, string>> {
  const library = join(folder, 'slow-flush.so')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, 'bench/servers/slow-flush.c'])
  return { LD_PRELOAD: library, FLUSH_MICROSECONDS: String(milliseconds * 1000) }
}
