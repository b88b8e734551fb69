import { configFromEnvironment } from '../../../src/config/config.ts'
import { Relay } from '../../../src/features/ground/events/relay/relay.ts'
import { moveUser } from '../../../src/features/tenancy/moves/moving.ts'
import { prepare } from '../../../src/serve.ts'

/** A mover or a relay to be killed: prints the step that is named, and stops there. */
const [, , act, fatalStep = '', userId = '', shardId = ''] = process.argv

const { platform } = await prepare(configFromEnvironment())
setInterval(() => undefined, 1_000)
if (act === 'move') await moveUser(platform, userId, shardId, reached)
else await new Relay(platform).turn(reached)

async function reached(step: string): Promise<void> {
  if (step !== fatalStep) return
  process.stdout.write(`${step}\n`)
  await new Promise(() => undefined)
}
