export interface OnePage<Item> {
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

export type Read<Item> = (part: {
  readonly page: number
  readonly page_size: number
  readonly order: 'oldest'
}) => Promise<OnePage<Item>>

/** Wraps a list that comes in one response. */
export function inOneResponse<Item>(read: () => Promise<{ readonly items: readonly Item[] }>): Read<Item> {
  return async () => {
    const { items } = await read()
    return { items, total: items.length }
  }
}

class RowsRemoved extends Error {}

const attempts = 5
const largestPage = 100

/**
 * Oldest first, so that rows added meanwhile are at the end and move nothing. If rows are removed meanwhile,
 * later ones move up and the list is read again.
 */
export async function wholeList<Item>(read: Read<Item>, onProgress: (rows: number) => void): Promise<readonly Item[]> {
  for (let attempt = 1; ; attempt++) {
    let total = 0
    try {
      return await allPages(async (page) => {
        const part = await read({ page, page_size: largestPage, order: 'oldest' })
        if (part.total < total) throw new RowsRemoved('rows were removed while the list was read')
        total = part.total
        onProgress(Math.min(page * largestPage, total))
        return part
      })
    } catch (error) {
      if (!(error instanceof RowsRemoved) || attempt === attempts) throw error
    }
  }
}
