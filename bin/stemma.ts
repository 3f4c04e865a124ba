import { run } from '../src/cli/run.ts'

// Everything that is made, also by git, is for this user alone.
process.umask(0o077)
// Whoever reads our output may have read enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
process.exitCode = await run(process.argv.slice(2))
