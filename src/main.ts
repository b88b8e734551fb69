import { runProgram } from './operator/commands/program/program.ts'

// Every file that this program writes, databases and backups too, is private to the user who runs it.
process.umask(0o077)
// No `await` here, so that the executable file can `require` it.
void runProgram(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
