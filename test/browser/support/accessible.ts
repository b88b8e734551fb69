import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { drawn } from './acts.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** axe-core finds nothing on the page once it is drawn. A quiet network does not mean that it is. */
export async function assertAccessible(page: Page): Promise<void> {
  await drawn(page)
  const violations = await page.evaluate<Violation[]>(
    `(() => { ${axe}; return axe.run().then((found) => found.violations) })()`,
  )

  const words = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(words, [], `on ${page.url()}`)
}
