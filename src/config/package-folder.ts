import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'

/** The folder of the documents: the clone, or the package as npm installed it. The executable file has none. */
export function documentFolder(): string {
  const manifest = isSea() ? undefined : findPackageJSON(import.meta.url)
  return manifest === undefined ? 'docs' : join(dirname(manifest), 'docs')
}
