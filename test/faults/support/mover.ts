import { configFromEnvironment } from '../../../src/config/config.ts'
import { moveUser } from '../../../src/features/moves/moving.ts'
import { prepare } from '../../../src/serve.ts'

/** A mover to be killed: prints each step, and stops at the one that is named. */
const [userId = '', shardId = '', fatalStep = ''] = process.argv.slice(2)

const { platform } = await prepare(configFromEnvironment())
setInterval(() => undefined, 1_000)
await moveUser(platform, userId, shardId, async (step) => {
  if (step !== fatalStep) return
  process.stdout.write(`${step}\n`)
  await new Promise(() => undefined)
})
