import { ensureInstalled, ensurePages, ensureProgram, handOver, runPinned, say } from './ensure.mjs'

ensureInstalled()
say('Format, lint and layers')
runPinned(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'])
say('Types')
runPinned(['node_modules/typescript/bin/tsc', '-p', '.'])
runPinned(['node_modules/typescript/bin/tsc', '-p', 'web'])
ensurePages()
ensureProgram()
say('Tests')
handOver(['test/run.ts'])
