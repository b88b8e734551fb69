import { atMost, type Measure, median, round } from './measure.ts'
import { preparedFolder, startOurs } from './ours.ts'

const STARTS = 9
const SETTLE_MILLISECONDS = 2_000

export const measure: Measure = {
  title: 'Start to first healthy answer on prepared data, and memory when idle',
  async run() {
    await using folder = await preparedFolder()
    const milliseconds: number[] = []
    let idleMegabytes = Number.NaN
    // The first start fills the cache of compiled code.
    for (let start = 0; start <= STARTS; start++) {
      const began = performance.now()
      await using server = await startOurs(folder)
      if (start > 0) milliseconds.push(performance.now() - began)
      if (start < STARTS) continue
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS))
      idleMegabytes = server.memoryMegabytes()
    }
    return {
      ratios: [
        atMost('start, median', Math.round(median(milliseconds)), 400, 'ms'),
        atMost('idle memory', round(idleMegabytes), 110, 'MB'),
      ],
      figures: [
        {
          what: 'starts',
          fastest: Math.round(Math.min(...milliseconds)),
          slowest: Math.round(Math.max(...milliseconds)),
        },
      ],
    }
  },
}
