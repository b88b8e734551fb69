import type { Config } from '../../config/config.ts'
import { backgroundJobs } from '../../jobs.ts'
import type { Job } from '../../platform/background.ts'
import { prepare } from '../../serve.ts'

export interface Work {
  readonly name: string
  /** Of all its turns, with their rests. */
  readonly ms: number
}

/** What this program does in the background after it has migrated the stores, until all of it is done. */
export async function backgroundWork(config: Config, ended: AbortSignal): Promise<readonly Work[]> {
  const { platform } = await prepare(config)
  const stop = () => void platform.background.stop()
  try {
    const times = new Map<string, number>()
    const jobs = backgroundJobs(platform).filter(({ atStart }) => atStart)
    ended.addEventListener('abort', stop, { once: true })
    platform.background.start(jobs.map((job) => timed(job, times)))
    await platform.background.idle()
    ended.throwIfAborted()
    return [...times].map(([name, ms]) => ({ name, ms }))
  } finally {
    ended.removeEventListener('abort', stop)
    platform.end()
    await platform.close()
  }
}

function timed(job: Job, times: Map<string, number>): Job {
  return {
    ...job,
    async run() {
      const began = performance.now()
      await job.run()
      const before = times.get(job.name) ?? 0
      times.set(job.name, before + Math.ceil(performance.now() - began))
    },
  }
}
