import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Folder } from '../../ours.ts'

/** Columns of the page. */
interface Backups {
  readonly 'backup s': number
  readonly MB: number
  readonly 'restore s': number
}

/** A backup while the service runs, and its content restored beside it. */
export async function backedUp({ path }: Folder): Promise<Backups> {
  const work = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const archive = join(work, 'backup.tar.gz')
  try {
    const backupSeconds = await secondsOf(['backup', archive], path)
    await copyFile(join(path, 'secrets.json'), join(work, 'secrets.json'))
    const { size } = await stat(archive)
    const restoreSeconds = await secondsOf(['restore', archive], work)
    return { 'backup s': backupSeconds, MB: Math.ceil(size / 1e6), 'restore s': restoreSeconds }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function secondsOf(args: readonly string[], dataDir: string): Promise<number> {
  const started = performance.now()
  const child = spawn('bin/gatehouse', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATA_DIR: dataDir },
  })
  const complaint = child.stderr.toArray()
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`gatehouse ${args[0]} ended with ${code}: ${(await complaint).join('')}`)
  return Math.round((performance.now() - started) / 100) / 10
}
