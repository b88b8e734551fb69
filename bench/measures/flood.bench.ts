import { cores } from '../load/cores.ts'
import { Generator } from '../load/generator.ts'
import { rawRequest } from '../load/load.ts'
import { atMost, type Measure, median, round } from '../load/measure.ts'
import { insertPeople, preparedFolder, sessionToken, startOurs } from '../ours.ts'
import { insertPasswords, signInRequests } from '../rows/passwords.ts'

const PEOPLE = 500

export const measure: Measure = {
  title: 'Session checks during a flood of sign-ins (32 at once), the server on all cores',
  async run({ generator, rounds, seconds }) {
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    insertPasswords(folder, PEOPLE)
    await using ours = await startOurs(folder, {}, cores.all)
    await using flood = new Generator()
    const requests = Array.from({ length: PEOPLE }, (_, i) =>
      rawRequest('GET', '/api/auth/get-session', { cookie: `session=${sessionToken(i)}` }),
    )
    const checks = () => generator.run({ port: ours.port, connections: 4, seconds, core: 'shared', requests })
    const signIns = () =>
      flood.run({
        port: ours.port,
        connections: 32,
        seconds: seconds + 0.5,
        core: 'shared',
        requests: signInRequests(PEOPLE),
      })

    await checks()
    const idle: number[] = []
    const flooded: number[] = []
    for (let turn = 0; turn < rounds; turn++) {
      idle.push((await checks()).p99Milliseconds)
      const [during] = await Promise.all([checks(), signIns()])
      flooded.push(during.p99Milliseconds)
    }
    return {
      ratios: [atMost('p99 during the flood against idle', round(median(flooded) / median(idle)), 3)],
      figures: [
        { what: 'idle', 'p99 ms': round(median(idle)) },
        { what: 'during the flood', 'p99 ms': round(median(flooded)) },
      ],
    }
  },
}
