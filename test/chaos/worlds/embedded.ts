import { copyFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Installation } from '../../processes/installation.ts'
import { commonFaults } from './common-faults.ts'
import { Letters } from './letters.ts'
import { MANY_NETWORKS, prepareWorld } from './preparing.ts'
import { ServiceProcess } from './service-process.ts'
import type { FaultCall, World } from './world.ts'

/** One process, its stores files in its data folder. */
export async function embeddedWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const installation = opening.use(new Installation())
  const mail = await Letters.open()
  opening.defer(() => mail.stop())
  const env = { SMTP_URL: mail.url, ...MANY_NETWORKS }
  const { config, administrator } = await prepareWorld(installation, env)
  const processes = [await ServiceProcess.started('server', installation, env)]
  const opened = opening.move()

  /** Restores a backup elsewhere: it serves, and has exactly what was there at the time of the backup. */
  async function restored({ dice, history, judge }: FaultCall): Promise<string> {
    const file = join(tmpdir(), `chaos-${dice.below(1e9)}.backup`)
    await using elsewhere = new Installation()
    try {
      const begun = history.tick()
      const made = await installation.run(['backup', file], env)
      const backup = { begun, ended: history.tick() }
      if (made.code !== 0) return `none was made: ${made.stderr.slice(0, 200)}`
      copyFileSync(join(installation.dataDir, 'secrets.json'), join(elsewhere.dataDir, 'secrets.json'))
      const back = await elsewhere.run(['restore', file], env)
      if (back.code !== 0) throw new Error(`a backup could not be restored: ${back.stderr}`)
      // Letters that wait in it are not sent a second time.
      const { child, url } = await elsewhere.serve(MANY_NETWORKS)
      const answers = await judge({ name: 'restored', url }, backup)
      child.kill('SIGKILL')
      return `restored elsewhere, ${answers} answers compared`
    } finally {
      rmSync(file, { force: true })
    }
  }

  return {
    engine: 'sqlite',
    config,
    processes,
    mail,
    administrator,
    faults: {
      ...commonFaults({ processes, installation, env }),
      'a backup is restored elsewhere': { weight: 0.5, happen: restored },
    },
    someProcess: (dice) => processes[dice.below(processes.length)] ?? fail(),
    run: (args) => installation.run(args, env),
    async heal() {
      for (const process of processes) await process.heal()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function fail(): never {
  throw new Error('no process is running')
}
