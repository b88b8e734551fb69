import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { Filter } from '../../platform/breaches/filter.ts'
import { filesOfService } from '../../platform/close-folder.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { checkUsable, isMissing, systemCodeOf, wordsForUnusable } from '../../platform/usable-folder.ts'
import { type Finding, fine, note, reasonOf, wrong } from '../../rules/finding.ts'
import { refuseInterruptedRestore } from '../backup/restore.ts'

export const LEAST_FREE_BYTES = 256 * 1024 ** 2
const GIBIBYTE = 1024 ** 3

export async function examineMachine(config: Config): Promise<readonly Finding[]> {
  if (await isMissing(config.dataDir))
    return [wrong('data folder', `${config.dataDir} does not exist yet; run \`gatehouse prepare\``)]
  const findings = await Promise.all([dataFolder(config), disk(config), secrets(config)])
  return [...findings, ...(await breachList(config)), ...interruptedRestore(config)]
}

function interruptedRestore(config: Config): readonly Finding[] {
  try {
    refuseInterruptedRestore(config)
    return []
  } catch (error) {
    return [wrong('restore', reasonOf(error))]
  }
}

async function dataFolder({ dataDir }: Config): Promise<Finding> {
  try {
    await checkUsable(dataDir)
  } catch (error) {
    return wrong('data folder', `${wordsForUnusable(dataDir, error)} (${reasonOf(error)})`)
  }
  const { mode } = await stat(dataDir)
  if (process.platform !== 'win32' && (mode & 0o007) !== 0)
    return note('data folder', `${dataDir} is open to every user of this machine; consider chmod 700`)
  return (await fileOfAnother(dataDir)) ?? fine('data folder', `${dataDir} can be written`)
}

/** Finds a file that a command run as another user, such as root, has left. */
async function fileOfAnother(dataDir: string): Promise<Finding | undefined> {
  const { uid } = await stat(dataDir)
  for (const file of await filesOfService(dataDir)) {
    const found = await stat(file).catch(() => undefined)
    // SQLite removes its own files when the last process closes them.
    if (!found) continue
    const isRefused = await access(file, constants.R_OK | constants.W_OK).then(
      () => false,
      (error: unknown) => systemCodeOf(error) !== 'ENOENT',
    )
    if (isRefused) return wrong('data folder', `${file} cannot be written by this user; change its owner`)
    if (found.uid !== uid)
      return note('data folder', `${file} has another owner than the folder; give it to the service's user`)
  }
  return undefined
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

export function gibibytes(bytes: number): string {
  return `${(bytes / GIBIBYTE).toFixed(1)} GiB`
}

async function breachList({ breachList: path }: Config): Promise<readonly Finding[]> {
  if (path === undefined) return []
  try {
    await using filter = await Filter.open(path)
    await filter.sample()
    return [fine('stolen passwords', `${path} lists ${filter.head.entries}`)]
  } catch (error) {
    return [wrong('stolen passwords', `${path}: ${reasonOf(error)}; until then only common passwords are refused`)]
  }
}

async function secrets(config: Config): Promise<Finding> {
  try {
    await readSecrets(config)
    return fine('secrets', 'can be read')
  } catch (error) {
    return wrong('secrets', reasonOf(error))
  }
}
