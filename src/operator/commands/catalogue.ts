import { clientCommands } from './client.ts'
import type { Command } from './command.ts'

/** Every command of the program, in the order that help shows them. */
export const catalogue: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Prepare what is missing, then answer requests',
    usage:
      'gatehouse serve\n\nThe environment decides where it listens and where its data lies; see docs/operations.md.',
    load: async () => (await import('./serve.ts')).runServe,
  },
  {
    name: 'prepare',
    summary: 'Make the data ready: secrets, schema, settings, shards, the administrator',
    usage: 'gatehouse prepare\n\nRepeatable. The first run prints the administrator and the password, once.',
    load: async () => (await import('./prepare.ts')).runPrepare,
  },
  {
    name: 'doctor',
    summary: 'Look at configuration, stores and machine, and say what is wrong',
    usage: 'gatehouse doctor [--json]\n\nChanges nothing. Exit code 1 where something is wrong.',
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  {
    name: 'backup',
    summary: 'Write all stores of one moment into one archive, also while serving',
    usage:
      'gatehouse backup FILE [--json]\n\nFor embedded stores. The secrets are not in the archive; keep secrets.json elsewhere.',
    load: async () => (await import('./backup.ts')).runBackup,
  },
  {
    name: 'restore',
    summary: 'Put an archive into an empty place, verified',
    usage:
      'gatehouse restore FILE [--json]\n\nThe environment decides where, as for serve. Nothing that exists is overwritten.',
    load: async () => (await import('./restore.ts')).runRestore,
  },
  {
    name: 'export',
    summary: 'Write everything that lasts as lines of JSON, to move to other stores',
    usage:
      'gatehouse export FILE [--with-secrets]\n\nStop the service first. FILE may be - for standard output. The secrets of the settings are left out\nunless asked for; then they are in clear.',
    load: async () => (await import('./export.ts')).runExport,
  },
  {
    name: 'import',
    summary: 'Take in what export wrote, or the users of another service',
    usage:
      'gatehouse import FILE\n       gatehouse import --from better-auth FILE\n\nThe first wants empty stores and may be repeated where it was stopped. The second adds the users of a\nSQLite database to a prepared place.',
    load: async () => (await import('./import.ts')).runImport,
  },
  {
    name: 'admin',
    summary: 'Give the administrator a new password',
    usage:
      'gatehouse admin reset-password\n\nPrints the new password once and ends every session of the administrator.',
    load: async () => (await import('./admin.ts')).runAdmin,
  },
  {
    name: 'shards',
    summary: 'Look at the shards, add and empty them, move users between them',
    usage: `gatehouse shards list [--json]
       gatehouse shards add SHARD
       gatehouse shards drain|activate SHARD
       gatehouse shards move-user USER SHARD
       gatehouse shards empty SHARD [--to SHARD] [--rate USERS_A_SECOND]
       gatehouse shards verify [--json]

Also while serving. add takes a shard into use that SHARDS names. A draining shard takes no new users.
USER is an id or an address. move-user and empty may be stopped at any moment and run again.
verify names every row that the global store does not know; exit code 1 where there is one.`,
    load: async () => (await import('./shards.ts')).runShards,
  },
  ...clientCommands(() => catalogue.map(({ name }) => name)),
]
