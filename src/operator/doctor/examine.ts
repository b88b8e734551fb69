import { type Config, ConfigError, type Environment, readConfig } from '../../config/config.ts'
import { type ListedValue, listValues } from '../../config/listing.ts'
import { type Finding, fine, reasonOf, wrong } from '../../rules/finding.ts'
import { version } from '../../rules/version.ts'
import { examineDeployment } from './deployment.ts'
import { examineMachine } from './machine.ts'
import { examineStores } from './stores.ts'

export interface Examination {
  readonly version: string
  readonly isSound: boolean
  readonly values: readonly ListedValue[]
  readonly findings: readonly Finding[]
}

/** Examines everything and changes nothing. */
export async function examine(environment: Environment, now: () => number): Promise<Examination> {
  const config = configOrWords(environment)
  if (typeof config === 'string') return examination([], [wrong('configuration', config)])
  const findings = await Promise.all([
    examineMachine(config),
    examineStores(config, now),
    examineKeyValue(config),
    examineDeployment(config),
  ])
  return examination(listValues(config, environment), findings.flat())
}

function examination(values: Examination['values'], findings: Examination['findings']): Examination {
  return { version, isSound: findings.every(({ verdict }) => verdict !== 'wrong'), values, findings }
}

function configOrWords(environment: Environment): Config | string {
  try {
    return readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

async function examineKeyValue({ keyValueUrl }: Config): Promise<readonly Finding[]> {
  if (keyValueUrl === undefined) return [fine('key-value store', 'a table of the global store')]
  try {
    const { openRedisKeyValue } = await import('../../platform/key-value/redis.ts')
    const keyValue = await openRedisKeyValue(keyValueUrl)
    await keyValue.ping().finally(() => keyValue.close())
    return [fine('key-value store', 'answers')]
  } catch (error) {
    return [wrong('key-value store', reasonOf(error))]
  }
}
