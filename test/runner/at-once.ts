/** Works on this many at once; yields each result when it is ready. */
export async function* atOnce<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const rest = [...items]
  const running = new Map<Item, Promise<readonly [Item, Result]>>()
  const startNext = () => {
    const item = rest.shift()
    if (item !== undefined)
      running.set(
        item,
        work(item).then((result) => [item, result]),
      )
  }
  for (let started = 0; started < count; started += 1) startNext()
  while (running.size > 0) {
    const [item, result] = await Promise.race(running.values())
    running.delete(item)
    startNext()
    yield result
  }
}
