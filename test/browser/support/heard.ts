import { type CDPSession, expect, type Page } from '@playwright/test'

type Node = Awaited<ReturnType<typeof treeOf>>[number]

/** Resolves once a live region of the accessibility tree contains the words, so that a screen reader says them. */
export async function untilHeard(page: Page, words: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const heard = async () => liveTexts(await treeOf(devtools))
  await expect.poll(heard, { intervals: [50] }).toContainEqual(expect.stringContaining(words))
  await devtools.detach()
}

async function treeOf(devtools: CDPSession) {
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  return nodes
}

function liveTexts(nodes: readonly Node[]): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const textOf = (node: Node | undefined): string =>
    node?.role?.value === 'StaticText'
      ? String(node.name?.value)
      : (node?.childIds ?? []).map((id) => textOf(byId.get(id))).join('')
  return nodes.filter(isLive).map(textOf)
}

const isLive = ({ ignored, properties = [] }: Node) =>
  !ignored &&
  properties.some(({ name, value }) => name === 'live' && ['polite', 'assertive'].includes(String(value.value)))
