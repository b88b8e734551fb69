import { readFileSync } from 'node:fs'

/** PostgreSQL refuses to run as root; then it runs as a user that every system has. */
export function unprivilegedUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const entry = lines.find((line) => line.startsWith('postgres:')) ?? 'nobody:x:65534:65534'
  const [, , uid, gid] = entry.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}
