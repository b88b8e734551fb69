import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { ownFilesIn, readOwnFile } from '../../config/own-files.ts'

export interface PageFile {
  readonly type: string
  readonly plain: Buffer<ArrayBuffer>
  readonly tag: string
  /** Made by the build, or on the first request, then kept. */
  compressed: Promise<Buffer<ArrayBuffer>> | undefined
}

/** By path. */
export type Pages = ReadonlyMap<string, PageFile>

/** The files that the build has put into this folder; none if there was no build. */
export function loadPages(folder: URL): Pages {
  const paths = ownFilesIn(folder)
  const compressed = new Set(paths.filter((path) => path.endsWith('.br')))
  const plain = paths.filter((path) => !compressed.has(path) && !isHidden(path))
  return new Map(plain.map((path) => [path, loadFile(`${folder}${path}`, compressed.has(`${path}.br`))]))
}

function isHidden(path: string): boolean {
  return path.startsWith('.', path.lastIndexOf('/') + 1)
}

function loadFile(file: string, isCompressed: boolean): PageFile {
  const type = TYPES.get(extname(file)) ?? 'application/octet-stream'
  const compressed = isCompressed ? Promise.resolve(readOwnFile(new URL(`${file}.br`))) : undefined
  return { ...fileOf(readOwnFile(new URL(file)), type), compressed }
}

export function fileOf(plain: Buffer<ArrayBuffer>, type: string): PageFile {
  const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type, plain, tag, compressed: undefined }
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.webmanifest', 'application/manifest+json'],
  ['.txt', 'text/plain; charset=utf-8'],
])

export function isText(type: string): boolean {
  return /^text\/|svg|json/.test(type)
}
