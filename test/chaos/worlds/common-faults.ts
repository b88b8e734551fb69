import { setTimeout as pause } from 'node:timers/promises'
import { ended, type Installation } from '../../processes/installation.ts'
import type { Dice } from '../dice.ts'
import { faketime, type ServiceProcess } from './service-process.ts'
import { type Fault, lasting } from './world.ts'

export const SHARDS = ['apac-1', 'weur-1', 'oc-1'] as const

/** In seconds; too little to affect any promise of a few seconds or minutes. */
const LARGEST_OFFSET_SECONDS = 8

interface House {
  readonly processes: readonly ServiceProcess[]
  readonly installation: Installation
  readonly env: Readonly<Record<string, string>>
}

/** Faults of our own processes, whatever the stores are. */
export function commonFaults({ processes, installation, env }: House): Readonly<Record<string, Fault>> {
  const some = (dice: Dice) => processes[dice.below(processes.length)]

  async function killed({ dice }: { readonly dice: Dice }): Promise<string> {
    const server = some(dice)
    const offset = dice.chance(0.3) ? dice.below(2 * LARGEST_OFFSET_SECONDS) - LARGEST_OFFSET_SECONDS : 0
    await server?.kill()
    await pause(dice.below(500))
    await server?.start(offset)
    return `${server?.name}${faketime && offset !== 0 ? `, back with a clock ${offset} s off` : ''}`
  }

  async function stopped({ dice }: { readonly dice: Dice }): Promise<string> {
    const server = some(dice)
    const milliseconds = lasting(dice)
    await server?.stopFor(milliseconds)
    return `${server?.name} for ${milliseconds} ms`
  }

  async function moved({ dice, users }: { readonly dice: Dice; readonly users: readonly string[] }) {
    const [user, to] = [dice.oneOf(users), dice.oneOf(SHARDS)]
    if (user === undefined || to === undefined) return 'nobody is there'
    const { code } = await installation.run(['shards', 'move-user', user, to], env)
    return `${user} to ${to}: ${code}`
  }

  /** Moves a user by a command that is killed or suspended at some moment of its short life. */
  async function interrupted(
    { dice, users }: { readonly dice: Dice; readonly users: readonly string[] },
    signal: 'SIGKILL' | 'SIGSTOP',
  ): Promise<string> {
    const [user, to] = [dice.oneOf(users), dice.oneOf(SHARDS)]
    if (user === undefined || to === undefined) return 'nobody is there'
    const order = ['shards', 'move-user', user, to]
    const mover = installation.start(order, env)
    const isEnded = ended(mover, order)
    const after = 250 + dice.below(900)
    await Promise.race([pause(after), isEnded])
    mover.kill(signal)
    if (signal === 'SIGSTOP') {
      await Promise.race([pause(lasting(dice)), isEnded])
      mover.kill('SIGCONT')
    }
    await isEnded
    return `of ${user} to ${to} after ${after} ms`
  }

  async function emptied({ dice }: { readonly dice: Dice }): Promise<string> {
    const shard = SHARDS[dice.below(SHARDS.length)] ?? SHARDS[0]
    await installation.run(['shards', 'drain', shard], env)
    const { code } = await installation.run(['shards', 'empty', shard, '--rate', '100'], env)
    await installation.run(['shards', 'activate', shard], env)
    return `${shard}: ${code}`
  }

  return {
    'a process is killed': { weight: 4, happen: killed },
    'a process is stopped': { weight: 3, happen: stopped },
    'a user is moved': { weight: 3, happen: moved },
    'a mover is killed': { weight: 2, happen: (call) => interrupted(call, 'SIGKILL') },
    'a mover is stopped': { weight: 1, happen: (call) => interrupted(call, 'SIGSTOP') },
    'a shard is emptied': { weight: 1, happen: emptied },
  }
}
