import { runProgram } from './operator/commands/program.ts'

// Whatever this program makes, databases and backups too, is for the user who runs it.
process.umask(0o077)
process.exitCode = await runProgram(process.argv.slice(2))
