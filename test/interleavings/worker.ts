import { parentPort, workerData } from 'node:worker_threads'
import type { Names } from './end.ts'
import { type Budget, explore } from './explore.ts'
import { openScheduledStage } from './stage.ts'

/** Explores each pair that it receives, and sends back the result. */
const budget: Budget = workerData
const stage = await openScheduledStage()
parentPort?.on('message', (names: Names) => {
  void explore(stage, names, budget).then(
    (explored) => parentPort?.postMessage(explored),
    // An error in a thread's own code reaches who started it.
    (error) =>
      queueMicrotask(() => {
        throw error
      }),
  )
})
