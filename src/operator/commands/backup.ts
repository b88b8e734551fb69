import { fstatSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname, resolve } from 'node:path'
import { type Config, configFromEnvironment } from '../../config/config.ts'
import { openMeta } from '../../database/stores.ts'
import { noteBackup } from '../../features/ground/health/backups.ts'
import { reasonOf } from '../../rules/finding.ts'
import { backUp, backUpTo, leftIn } from '../backup/backup.ts'
import type { Manifest } from '../backup/manifest.ts'
import { refuseNoInstallation } from '../no-installation.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { print, printJson, say } from './program/output.ts'
import { progressOn } from './progress.ts'

export async function runBackup(argv: readonly string[]): Promise<number> {
  const options = { json: { type: 'boolean' }, record: { type: 'boolean' } } as const
  const isRecord = argv.includes('--record')
  const {
    words: [file = ''],
    flags,
  } = readArguments(argv, isRecord ? [] : ['FILE'], options)
  const config = configFromEnvironment()
  if (isRecord) return record(config)
  if (file === '-' && flags.json) throw new UsageError('--json would go where the archive goes')
  if (file === '-' && process.stdout.isTTY) throw new UsageError('the archive would go to a terminal; name a file')
  if (file === '-' && isNowhere(process.stdout.fd)) throw new UsageError('the archive would go nowhere; name a file')

  const folder = file === '-' ? config.dataDir : dirname(resolve(file))
  for (const left of await leftIn(folder))
    say(`A backup that was killed has left ${left}: delete it, unless another one is running.`)
  const progress = progressOn(process.stderr)
  const manifest =
    file === '-'
      ? await backUpTo(config, process.stdout, Date.now(), progress)
      : await backUp(config, file, Date.now(), progress)
  await noteIfPossible(config)

  if (flags.json) printJson(manifest)
  else if (file === '-') say(inWords(manifest))
  else print(`${file}: ${inWords(manifest)}`)
  if (!flags.json) say(`The secrets are not in it: keep a copy of secrets.json (${config.dataDir}) in another place.`)
  return 0
}

/** Node opens this device in place of a standard output that is closed. */
function isNowhere(fd: number): boolean {
  return fstatSync(fd).rdev === statSync(devNull).rdev
}

/** For a backup that another tool has made, such as pg_dump. */
async function record(config: Config): Promise<number> {
  await refuseNoInstallation(config)
  await note(config)
  print('noted: a backup is complete')
  return 0
}

/** The archive is complete, whether it can be noted or not. */
async function noteIfPossible(config: Config): Promise<void> {
  await note(config).catch((error: unknown) =>
    say(`The metric of the last backup stays as it was (${reasonOf(error)}).`),
  )
}

async function note(config: Config): Promise<void> {
  const meta = await openMeta(config)
  try {
    await noteBackup(meta, Date.now())
  } finally {
    await meta.close()
  }
}

function inWords({ stores }: Manifest): string {
  const rows = stores.flatMap(({ tables }) => Object.values(tables)).reduce((sum, each) => sum + each, 0)
  return `${stores.length} stores, ${rows} rows`
}
