import { type Service, startService } from '../service/service.ts'
import { InterruptedEngine, type Interruption } from './engines/interrupted-engine.ts'
import { openWrapped } from './engines/open-wrapped.ts'

/** Every statement of an act can be interrupted. */
export function startInterruptible(interruption: Interruption): Promise<Service> {
  return startService({
    env: { USER_LIMIT_FACTOR: '1000' },
    open: (config) => openWrapped(config, (engine) => new InterruptedEngine(engine, interruption)),
  })
}
