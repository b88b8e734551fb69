import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Group } from '../../src/http/documents/library.ts'
import { root } from '../ensure.mjs'
import { CONTENTS } from './contents.ts'
import { render } from './render.ts'

const folder = join(root, 'docs')

/** Every file of `docs/`, as the service and the static site show them. */
export function readDocuments(): readonly Group[] {
  const names = new Set(
    readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.slice(0, -'.md'.length)),
  )
  const listed = new Set(Object.values(CONTENTS).flat())
  const groups = { ...CONTENTS, More: [...names].filter((name) => !listed.has(name)).toSorted() }
  return Object.entries(groups)
    .map(([title, members]) => ({
      title,
      pages: members
        .filter((name) => names.has(name))
        .map((name) => ({ name, ...render(readFileSync(join(folder, `${name}.md`), 'utf8'), names) })),
    }))
    .filter(({ pages }) => pages.length > 0)
}
