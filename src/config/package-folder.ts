import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** Where the documents are: in the clone, or in the package as npm installed it. */
export function documentFolder(): string {
  const manifest = findPackageJSON(import.meta.url)
  return manifest === undefined ? 'docs' : join(dirname(manifest), 'docs')
}
