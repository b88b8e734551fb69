import { extname } from 'node:path'
import { ownFilesIn, readOwnFile } from '../../config/own-files.ts'
import { fileOf, type SentFile } from '../answers/file.ts'

/** The files by path. */
export type Pages = ReadonlyMap<string, SentFile>

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

function loadFile(file: string, isCompressed: boolean): SentFile {
  const type = TYPES.get(extname(file)) ?? 'application/octet-stream'
  const loaded = fileOf(readOwnFile(new URL(file)), type)
  if (isCompressed) loaded.compressed.set('br', Promise.resolve(readOwnFile(new URL(`${file}.br`))))
  return loaded
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
