import { ensureInstalled, ensurePages, ensureProgram, handOver, runPinned, say } from './ensure.mjs'

ensureInstalled()
say('Format, lint and layers')
runPinned(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'])
say('Types')
runPinned(['node_modules/typescript/bin/tsc', '-p', '.'])
runPinned(['node_modules/typescript/bin/tsc', '-p', 'web'])
runPinned(['node_modules/typescript/bin/tsc', '-p', 'elements'])
say('Dead code')
runPinned([
  'node_modules/knip/bin/knip.js',
  '--include',
  'files,exports',
  '--no-progress',
  '--no-config-hints',
])
ensurePages()
ensureProgram()
say('Tests')
handOver(['test/running/run.ts'])
