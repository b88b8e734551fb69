import type { Service } from '../service.ts'

/** A service ends by itself what a stopped mover has left behind. */
export async function endMoves(service: Service): Promise<void> {
  service.clock.advance({ minutes: 1 })
  await service.runJob('moves')
  const left = await service.platform.meta.primary.selectFrom('shard_moves').selectAll().execute()
  if (left.length > 0) throw new Error(`a move is still under way: ${JSON.stringify(left)}`)
}
