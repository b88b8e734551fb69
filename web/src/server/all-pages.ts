interface OnePage<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

/** Reads a list to its end. */
export async function allPages<Item>(
  read: (page: number, last: Item | undefined) => Promise<OnePage<Item>>,
): Promise<readonly Item[]> {
  const found: Item[] = []
  for (let page = 1; ; page++) {
    const { items, total } = await read(page, found.at(-1))
    found.push(...items)
    if (items.length === 0 || found.length >= total) return found
  }
}
