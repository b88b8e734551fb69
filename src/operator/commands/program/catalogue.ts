import { clientCommands } from './client.ts'
import type { Command } from './command.ts'
import { eventsCommand } from './events.ts'

/** Every command of the program, in the order that help shows them. */
export const catalogue: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Run any pending setup, then start the server',
    usage: 'gatehouse serve\n\nEnvironment variables set the address and data folder; see docs/operations.md.',
    load: async () => (await import('../serve.ts')).runServe,
  },
  {
    name: 'prepare',
    summary: 'Set up secrets, schema, settings, shards and the administrator',
    usage: "gatehouse prepare\n\nSafe to run again. The first run prints the administrator's password once.",
    load: async () => (await import('../prepare.ts')).runPrepare,
  },
  {
    name: 'doctor',
    summary: 'Check configuration, stores and host, and report problems',
    usage: 'gatehouse doctor [--json]\n\nChanges nothing. Exits 1 if it finds a problem.',
    load: async () => (await import('../doctor.ts')).runDoctor,
  },
  {
    name: 'backup',
    summary: 'Write a consistent archive of all stores, even while serving',
    usage:
      'gatehouse backup FILE [--json]\n       gatehouse backup --record\n\nFor embedded stores. FILE can be - for standard output. The secrets are not in the archive; keep secrets.json\nelsewhere. --record notes, for metric and alert, that another tool such as pg_dump has made a backup.',
    load: async () => (await import('../backup.ts')).runBackup,
  },
  {
    name: 'restore',
    summary: 'Restore an archive into empty stores and verify it',
    usage:
      'gatehouse restore FILE [--json]\n\nFILE can be - for standard input. Environment variables decide where, as for serve. Existing files are never overwritten.',
    load: async () => (await import('../restore.ts')).runRestore,
  },
  {
    name: 'export',
    summary: 'Export all persistent data as JSON Lines, to move to other stores',
    usage:
      'gatehouse export FILE [--with-secrets]\n\nStop the service first. FILE can be - for standard output. The secrets in the settings are left out\nunless requested; they are then in plain text.',
    load: async () => (await import('../export.ts')).runExport,
  },
  {
    name: 'import',
    summary: 'Import an export, or the users of another service',
    usage:
      'gatehouse import FILE\n       gatehouse import --from better-auth FILE [flags]\n       gatehouse import --from users FILE [--ignore-unknown] [flags]\n       gatehouse import --from firebase FILE --hash-config FILE [flags]\n\nFlags: --dry-run finds out what would be imported and writes nothing; --json prints the result as JSON.\n\nThe first form needs empty stores and can be resumed after an interruption. The others add users to a\nprepared installation: from a SQLite database of Better Auth, a file with one user per line, or an\nexport of Firebase. If anybody is left out, the exit code is 1, and FILE.left-out.jsonl says who and why.\nStop a service with embedded stores first. docs/moving-in.md describes the files.',
    load: async () => (await import('../import.ts')).runImport,
  },
  {
    name: 'admin',
    summary: 'Restore access: new passwords, lost factors, another address; rotate signing keys',
    usage:
      'gatehouse admin reset-password\n       gatehouse admin reset-factors [EMAIL]\n       gatehouse admin set-address EMAIL\n       gatehouse admin switch-off-challenge\n       gatehouse admin remove-former-passkeys\n       gatehouse admin rotate-signing-keys [--now]\n\nreset-password prints the new password once and ends every session of the administrator. reset-factors removes\nthe authenticator app, passkeys and backup codes of a user, or of the administrator if no address is given.\nset-address gives the administrator another address; both addresses get a letter.\nswitch-off-challenge turns that setting off, for when nobody can sign in.\nremove-former-passkeys removes passkeys that were created under another domain and do not work here.\nrotate-signing-keys publishes new keys for a day before they sign. With --now they sign at once, and the old keys\nand every token that they signed are refused: use it if a key has leaked. All of these commands work while the\nservice runs.',
    load: async () => (await import('../admin.ts')).runAdmin,
  },
  {
    name: 'breaches',
    summary: 'Build and ask a list of stolen passwords, which nobody can then choose',
    usage: `gatehouse breaches build INPUT… -o FILE [--plain] [--min-count N]
       gatehouse breaches info FILE
       gatehouse breaches check FILE

build reads lines of SHA-1 hashes (HASH or HASH:COUNT), or passwords with --plain, from files or from - for standard
input, and writes a file of 17 bits for each. --min-count leaves out what was seen less often. Set BREACH_LIST to the
file; a new one at its place counts at once. info reads all of a file. check reads a password
from standard input and exits 1 if it is listed, 0 if not, and 2 if the file cannot be asked.`,
    load: async () => (await import('../breaches.ts')).runBreaches,
  },
  {
    name: 'settings',
    summary: 'Keep settings, applications and webhooks in a file: print, compare and save them',
    usage: `gatehouse settings export
       gatehouse settings plan FILE [--prune]
       gatehouse settings apply FILE [--prune] [--secrets-out FILE]

Safe while serving. export prints the settings, and the applications, product scopes and webhooks that a file can
have, as JSON, without secrets. plan prints what apply would change, by path, and exits 2 if there is anything.
apply changes all of it, or nothing. What the file leaves out stays as it is; --prune removes the applications and
webhooks with a key that a list of the file lacks, and the product scopes that no application has. Secrets and the
logo are each "keep", "remove", "env:NAME" or "file:PATH". --secrets-out names a new file for the secrets that
apply makes; without it, a file that needs a new secret is refused. With a wrong file or argument the command
exits 1.`,
    load: async () => (await import('../settings.ts')).runSettings,
  },
  {
    name: 'shards',
    summary: 'List, add, drain and empty shards; move users between them',
    usage: `gatehouse shards list [--json]
       gatehouse shards add SHARD
       gatehouse shards drain|activate SHARD
       gatehouse shards move-user USER SHARD
       gatehouse shards empty SHARD [--to SHARD] [--rate USERS_A_SECOND]
       gatehouse shards verify [--json]
       gatehouse shards remove-copies SHARD
       gatehouse shards remove-ownerless SHARD [--for-good]
       gatehouse shards replace SHARD

Safe while serving. add activates a shard that SHARDS lists. A draining shard takes no new users.
USER is an id or an address. move-user and empty can be stopped at any moment and run again.
verify lists rows unknown to the global store; exits 1 if it finds any.
remove-copies removes them if their user was erased, or has every one of them in the right shard too.
remove-ownerless counts users whom the global store does not know (exits 1 if there are any), such as after restoring
an older backup of it; --for-good removes their rows.
replace accepts the empty store at the address of a shard whose data is permanently lost.`,
    load: async () => (await import('../shards.ts')).runShards,
  },
  eventsCommand(allNames),
  {
    name: 'mirror',
    summary: "Keep tables of users in a product's own PostgreSQL in step",
    usage: `gatehouse mirror DATABASE [NAME] [flags]
       gatehouse mirror verify DATABASE [NAME] [--schema SCHEMA]

DATABASE is postgres://…, env:NAME or file:PATH, in PostgreSQL 14 or later. Without NAME it reads the stores of this
host, as serve does; with NAME the server of that connection, which needs the scopes admin:events:read and
admin:users:read, and admin:organizations:read for organisations. It makes the tables users, organizations, members
and mirror_state, and goes on until Ctrl-C. Killed at any moment, it continues from there.

  --schema SCHEMA   where the tables are; gatehouse if it is left out
  --once            end when the mirror has caught up
  --recopy          copy everything again, beside those who read
  --keep-deleted    empty the rows of what is deleted, and set deleted_at, instead of deleting them

verify compares every row: 0 if they are equal, 2 with a line for each that differs. Whatever could not be done is 1.
docs/mirror.md has the rest.`,
    load: async () => (await import('../mirror.ts')).runMirror,
  },
  {
    name: 'rehearse',
    summary: 'Rehearse an upgrade on a copy of your data: from the program OLD to this one',
    usage: `gatehouse rehearse OLD [ARCHIVE] [--json]
       gatehouse rehearse OLD --scratch DATABASE [--json]

Run the new program in the environment of the installation, beside what serves. OLD is the path of the program that
serves now. Embedded stores are copied below TMPDIR, from the backup ARCHIVE or as they are: OLD serves people that it
makes, this program migrates and serves them, and OLD is started again. Stores on PostgreSQL are read, each in one
transaction, into the empty database DATABASE (postgres://…, env:NAME or file:PATH), where OLD serves on beside this
program. Nothing is sent, nothing of the installation is touched, and the copy is removed, at Ctrl-C too; what a killed
rehearsal has left in DATABASE is removed by the next.

Prints how long each migration takes, how long a write waits for it, the rows of its tables and its room, the work in
the background after it, and whether OLD can go on afterwards. Exits 0, 2 if there is a problem, and 1 if the
rehearsal could not be made. docs/upgrades.md has an example.`,
    load: async () => (await import('../rehearse.ts')).runRehearse,
  },
  ...clientCommands(allNames),
]

function allNames(): readonly string[] {
  return catalogue.map(({ name }) => name)
}
