import { run } from '../src/cli/run.ts'

process.exitCode = await run(process.argv.slice(2))
