import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getAsset, getAssetKeys, getRawAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** A prefix, not a real folder: the files inside the single executable have URLs that start with it. */
export const EMBEDDED = 'file:///gatehouse/'

/** The code of a thread or process of this program, by its name and the module it is beside. */
export function ownCode(name: string, beside: string): URL {
  return new URL(beside.endsWith('.ts') ? `${name}.ts` : `${name}.cjs`, beside)
}

export function startThread(code: URL, workerData?: unknown): Worker {
  if (!isSea()) return new Worker(code, { workerData })
  return new Worker(getAsset('embedded.cjs', 'utf8'), { eval: true, argv: [code.href], workerData })
}

/** Inside the executable file, it is not copied and cannot be overwritten. */
export function readOwnFile(file: URL): Buffer<ArrayBuffer> {
  return isSea() ? Buffer.from(getRawAsset(assetOf(file))) : readFileSync(file)
}

/** Undefined if the build has not made it. */
export function findOwnFile(file: URL): Buffer<ArrayBuffer> | undefined {
  return isSea() || existsSync(file) ? readOwnFile(file) : undefined
}

/** Paths relative to `folder`, separated by `/`; empty if the folder does not exist. */
export function ownFilesIn(folder: URL): readonly string[] {
  if (!isSea()) return filesIn(folder)
  const start = assetOf(folder)
  return getAssetKeys()
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
}

function filesIn(folder: URL): readonly string[] {
  if (!existsSync(folder)) return []
  const path = fileURLToPath(folder)
  // Avoids `join` and `relative`: V8 optimises functions called this often, which takes 5 MB.
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(path.length))
}

function assetOf({ href }: URL): string {
  return href.slice(EMBEDDED.length)
}
