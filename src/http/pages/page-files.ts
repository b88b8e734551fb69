import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, sep } from 'node:path'

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
export function loadPages(folder: string): Pages {
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  // Without `join` and `relative`: V8 compiles functions that are called this often, which takes 5 MB.
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}${sep}${name}`)
  const compressed = new Set(files.filter((file) => file.endsWith('.br')))
  const plain = files.filter((file) => !compressed.has(file) && !isHidden(file))
  return new Map(
    plain.map((file) => [
      file.slice(folder.length).split(sep).join('/'),
      loadFile(file, compressed.has(`${file}.br`)),
    ]),
  )
}

function isHidden(file: string): boolean {
  return file.startsWith('.', file.lastIndexOf(sep) + 1)
}

function loadFile(file: string, isCompressed: boolean): PageFile {
  const type = TYPES.get(extname(file)) ?? 'application/octet-stream'
  const compressed = isCompressed ? Promise.resolve(readFileSync(`${file}.br`)) : undefined
  return { ...fileOf(readFileSync(file), type), compressed }
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
