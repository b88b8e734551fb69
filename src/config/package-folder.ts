import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'

/**
 * The folder of the documents: in the clone, or in the package as npm installed it; just `docs` for the executable
 * file.
 */
export function documentFolder(): string {
  const manifest = isSea() ? undefined : findPackageJSON(import.meta.url)
  return manifest === undefined ? 'docs' : join(dirname(manifest), 'docs')
}
