import type { CDPSession, Page } from 'playwright-core'

type Node = Awaited<ReturnType<typeof treeOf>>[number]

const limitMilliseconds = 90_000

/** Resolves once a live region of the accessibility tree contains the words, so that a screen reader says them. */
export async function untilHeard(page: Page, words: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const until = Date.now() + limitMilliseconds
  let heard: readonly string[] = []
  while (Date.now() < until) {
    heard = liveTexts(await treeOf(devtools))
    if (heard.some((text) => text.includes(words))) return devtools.detach()
  }
  throw new Error(`no live region says "${words}", only ${JSON.stringify(heard)}`)
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
  properties.some(
    ({ name, value }) => name === 'live' && ['polite', 'assertive'].includes(String(value.value)),
  )
