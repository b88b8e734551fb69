import { rm, stat, writeFile } from 'node:fs/promises'
import { configFromEnvironment } from '../../config/config.ts'
import { lockDataFolder } from '../../platform/data-folder.ts'
import type { Platform } from '../../platform/platform.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { onOneLine } from '../../rules/one-line.ts'
import type { TransferProgress } from '../transfer/export.ts'
import type { Imported, Skipped } from '../user-import/at-once.ts'
import { importBetterAuth } from '../user-import/better-auth.ts'
import { importFirebase } from '../user-import/firebase.ts'
import { importUsersFile } from '../user-import/users-file.ts'
import { UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print, printJson, say } from './program/output.ts'
import { progressOn } from './progress.ts'
import { withPlatform } from './with-platform.ts'

type ImportForeign = (platform: Platform, progress: TransferProgress) => Promise<Imported>

interface Flags {
  readonly 'hash-config'?: string | undefined
  readonly 'dry-run'?: boolean | undefined
  readonly 'ignore-unknown'?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Runs `gatehouse import --from`. */
export async function importUsersFrom(from: string, file: string, flags: Flags): Promise<number> {
  const how = { isDry: flags['dry-run'] === true, ignoresUnknown: flags['ignore-unknown'] === true }
  const hashConfig = flags['hash-config']
  if (from === 'better-auth')
    return runForeign([file], flags, (platform, show) => importBetterAuth(platform, file, show, how))
  if (from === 'users') return runForeign([file], flags, (platform, show) => importUsersFile(platform, file, show, how))
  if (from !== 'firebase') throw new UsageError('--from supports better-auth, firebase and users')
  if (hashConfig === undefined) throw new UsageError('--from firebase needs --hash-config FILE')
  return runForeign([file, hashConfig], flags, (platform, show) =>
    importFirebase(platform, file, hashConfig, show, how),
  )
}

async function runForeign(files: readonly string[], flags: Flags, importThem: ImportForeign): Promise<number> {
  const config = configFromEnvironment()
  // First, so that a wrong data folder is not created.
  await readSecrets(config)
  for (const file of files) await checkInput(file)
  const release = await lockDataFolder(config)
  try {
    let leftOut: readonly Skipped[] = []
    await withPlatform(async (platform) => {
      leftOut = await addUsers(platform, flags, importThem)
    })
    if (!flags['dry-run']) await writeLeftOut(files[0] ?? '', leftOut)
    return leftOut.length === 0 ? 0 : 1
  } finally {
    await release()
  }
}

async function addUsers(platform: Platform, flags: Flags, importThem: ImportForeign): Promise<readonly Skipped[]> {
  const show = progressOn(process.stderr)
  const imported = await importThem(platform, (done, total) => show('users', total === 0 ? 1 : done / total))
  for (const { who, why } of imported.skipped) say(`left out: ${onOneLine(`${who}, ${why}`)}`)
  if (flags.json) printJson(asJson(imported))
  else for (const line of inWords(imported, flags['dry-run'] === true)) print(line)
  return imported.skipped
}

function asJson({ imported: users, accounts, passwords, inOrganizations, notTaken, skipped }: Imported) {
  return {
    taken: { users, accounts, passwords, ...inOrganizations },
    not_taken: Object.fromEntries(notTaken),
    left_out: skipped.length,
  }
}

function inWords(
  { imported, accounts, passwords, inOrganizations, notTaken, skipped }: Imported,
  isDry: boolean,
): readonly string[] {
  const { organizations, members } = inOrganizations ?? {}
  const joined = inOrganizations ? `, ${organizations} organisations, ${members} members` : ''
  const left = [...notTaken].map(([what, times]) => `${times} ${onOneLine(what)}`)
  return [
    `${isDry ? 'would be taken' : 'taken'}: ${imported} users, ${accounts} accounts at providers, ${passwords} passwords${joined}`,
    ...(left.length > 0 ? [`not taken: ${left.join(', ')}`] : []),
    ...(skipped.length > 0 ? [`left out: ${skipped.length}${inOrganizations ? '' : ' users'}`] : []),
  ]
}

/**
 * A file for a program that corrects the users and imports them again; only the operator can read it, because it names
 * people.
 */
async function writeLeftOut(file: string, leftOut: readonly Skipped[]): Promise<void> {
  const isFile = (await stat(file)).isFile()
  const path = `${isFile ? file : 'import'}.left-out.jsonl`
  await rm(path, { force: true })
  if (leftOut.length === 0) return
  const lines = leftOut.map(({ place, why: reason }) => `${JSON.stringify({ ...place, reason })}\n`)
  await writeFile(path, lines.join(''), { mode: 0o600 })
  say(`who was left out, and why: ${path}`)
}
