import { runProgram } from './operator/commands/program.ts'

process.exitCode = await runProgram(process.argv.slice(2))
