const WORDS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['EACCES', 'is closed to this user; change its owner or its mode'],
  ['EPERM', 'is closed to this user; change its owner or its mode'],
  ['EISDIR', 'is a folder, not a file'],
  ['ENOTDIR', 'is below a file, not below a folder'],
  ['EROFS', 'is on a read-only file system'],
  ['EMFILE', 'cannot be opened, because this process has too many open files (ulimit -n)'],
])

/** What the system says about a file or folder, in a sentence; undefined for any other error. */
export function fileFaultOf(error: Error): string | undefined {
  if (!('code' in error && 'syscall' in error && 'path' in error)) return undefined
  const words = WORDS.get(error.code)
  return words === undefined ? error.message : `${error.path} ${words}`
}
