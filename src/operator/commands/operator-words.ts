const PLAIN: ReadonlySet<string> = new Set([
  'ArchiveDamaged',
  'BackupRefused',
  'ConfigError',
  'DataFolderUnusable',
  'MoveRefused',
  'MoveTakenOver',
  'Refusal',
  'SchemaTooNew',
  'SecretsUnusable',
  'StoreUnavailable',
  'TransferRefused',
])

/** One clear line for what an operator can fix; a stack for our own defects. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `port ${error.port} is taken by another program; stop it, or set PORT`
  }
  if ('code' in error && error.code === 'EACCES' && 'port' in error) {
    return `port ${error.port} may not be opened by this user; set PORT to 1024 or higher`
  }
  if ('code' in error && 'syscall' in error && 'path' in error) return error.message
  if (!PLAIN.has(error.name)) return error.stack ?? error.message
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${reason}`
}
