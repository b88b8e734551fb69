import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { type Finding, fine, note, reasonOf, wrong } from './finding.ts'

const LEAST_FREE_BYTES = 256 * 1024 ** 2
const GIBIBYTE = 1024 ** 3

export async function examineMachine(config: Config): Promise<readonly Finding[]> {
  if (!existsSync(config.dataDir))
    return [wrong('data folder', `${config.dataDir} does not exist yet; run \`gatehouse prepare\``)]
  return Promise.all([dataFolder(config), disk(config), secrets(config)])
}

async function dataFolder({ dataDir }: Config): Promise<Finding> {
  try {
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    return wrong('data folder', `${dataDir} cannot be written: ${reasonOf(error)}`)
  }
  const { mode } = await stat(dataDir)
  if (process.platform !== 'win32' && (mode & 0o007) !== 0)
    return note('data folder', `${dataDir} is open to every user of this machine; consider chmod 700`)
  return fine('data folder', `${dataDir} can be written`)
}

async function disk({ dataDir }: Config): Promise<Finding> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    const words = `${gibibytes(bavail * bsize)} of ${gibibytes(blocks * bsize)} are free`
    return bavail * bsize < LEAST_FREE_BYTES ? wrong('disk', `${words}; make room`) : fine('disk', words)
  } catch (error) {
    return wrong('disk', reasonOf(error))
  }
}

function gibibytes(bytes: number): string {
  return `${(bytes / GIBIBYTE).toFixed(1)} GiB`
}

async function secrets(config: Config): Promise<Finding> {
  try {
    await readSecrets(config)
    return fine('secrets', 'can be read')
  } catch (error) {
    return wrong('secrets', reasonOf(error))
  }
}
