import type { RELEASES } from '../../fixtures/lived-in.ts'
import { oldInstallation } from '../../fixtures/old-program.ts'
import { command, testServer } from '../../postgres/databases.ts'
import { Installation } from '../../processes/installation.ts'
import { storesIn } from '../../processes/new-stores.ts'
import { commonFaults, SHARDS } from './common-faults.ts'
import { Letters } from './letters.ts'
import { MANY_NETWORKS, REWARD } from './preparing.ts'
import { ServiceProcess } from './service-process.ts'
import type { World } from './world.ts'

/**
 * The middle of a rolling upgrade: an older program made the stores, and one of its processes serves beside one of this
 * program. It is never killed, because it could not start again.
 */
export async function upgradeWorld(release: (typeof RELEASES)[number]): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const server = await testServer()
  const mail = await Letters.open()
  opening.defer(() => mail.stop())
  const installation = opening.use(new Installation())
  const older = oldInstallation(opening, release)
  const stores = await storesIn(opening, server, SHARDS)
  const env = {
    ...stores,
    ...MANY_NETWORKS,
    DATA_DIR: installation.dataDir,
    SMTP_URL: mail.url,
  }
  await older.run(['prepare'], env)
  await command(stores.DATABASE_URL ?? '', FOR_CHAOS)
  // The first password was hashed at the usual cost.
  const { stdout } = await older.run(['admin', 'reset-password'], env)
  // The older first: the other one then finds its tables, and adds what is new.
  const processes = [
    await ServiceProcess.started(release, older, env),
    await ServiceProcess.started('this', installation, env),
  ]
  const [first, second] = processes
  if (!first || !second) throw new Error('no process is running')
  const ofOlder = commonFaults({ processes: [first], installation, env })['a process is stopped']
  if (!ofOlder) throw new Error('unknown fault')
  const opened = opening.move()
  return {
    engine: 'postgres',
    config: installation.config(env),
    processes,
    mail,
    administrator: credentialsIn(stdout),
    faults: {
      ...commonFaults({ processes: [second], installation, env }),
      'the older process is stopped': ofOlder,
    },
    someProcess: (dice) => (dice.chance(0.5) ? first : second),
    run: (args) => installation.run(args, env),
    async heal() {
      for (const process of processes) await process.heal()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Does what `prepareWorld` does with the present program. */
const FOR_CHAOS = `
  update instance set value = '1' where name = 'password_iterations';
  update settings set
    authentication = (authentication::jsonb || '{"email_user_action_cooldown_seconds": 0}')::text,
    email = (email::jsonb || '{"provider": "smtp"}')::text,
    credits = '{"signup_reward_enabled": true, "signup_reward_amount": ${REWARD}}'`

function credentialsIn(printed: string) {
  const [, email, password] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(printed) ?? []
  if (email === undefined || password === undefined) throw new Error(`no credentials: ${printed}`)
  return { email, password }
}
