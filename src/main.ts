import { runProgram } from './operator/commands/program/program.ts'

// Every file that this program writes, databases and backups too, is private to the user who runs it.
process.umask(0o077)
process.exitCode = await runProgram(process.argv.slice(2))
