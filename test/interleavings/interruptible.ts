import { type Service, startService } from '../service/service.ts'
import { InterruptedEngine, type Interruption } from './engines/interrupted-engine.ts'
import { openAllWrapped, openWrapped } from './engines/open-wrapped.ts'

/** Every statement that an act sends to the global store can be interrupted. */
export function startInterruptible(interruption: Interruption): Promise<Service> {
  return start(interruption, openWrapped)
}

/** Includes those that it sends to a shard. */
export function startInterruptibleEverywhere(interruption: Interruption): Promise<Service> {
  return start(interruption, openAllWrapped)
}

function start(interruption: Interruption, open: typeof openWrapped): Promise<Service> {
  return startService({
    env: { USER_LIMIT_FACTOR: '1000' },
    open: (config) => open(config, (engine) => new InterruptedEngine(engine, interruption)),
  })
}
