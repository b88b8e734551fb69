import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Undefined if no disk can be mounted here. */
export function mountSmallDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status === 0) return folder
  rmdirSync(folder)
  return undefined
}

export function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder])
  rmdirSync(folder)
}

export function fill(disk: string, name: string, bytes: number): void {
  writeFileSync(join(disk, name), Buffer.alloc(Math.max(0, bytes), 1))
}

/** Takes the last byte, also from a server that writes meanwhile. */
export function fillUp(disk: string): void {
  spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'ballast')}`, 'bs=64k'])
}

export function empty(disk: string): void {
  rmSync(join(disk, 'ballast'))
}

export function freeBytes(disk: string): number {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}

const tried = mountSmallDisk(1)
if (tried) unmount(tried)
export const canMount = tried !== undefined
