import { runProgram } from './operator/commands/program/program.ts'

// Every file of this program, databases and backups too, is for the user who runs it only.
process.umask(0o077)
process.exitCode = await runProgram(process.argv.slice(2))
