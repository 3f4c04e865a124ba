import { Command } from 'commander'
import { firstStart } from '../actions/first-start.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { LockedError } from '../lock.ts'
import { type RunningServer, start } from '../server.ts'

/** `stemma serve`: the server, settings from the environment. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description(
      'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, …',
    )
    .action(serve)

/** What `sysexits.h` calls a temporary failure: another server has the folder. */
const exitLocked = 75

async function serve(): Promise<void> {
  let config: Config
  try {
    config = readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exit(2)
  }
  let server: RunningServer
  try {
    server = await start(config)
  } catch (error) {
    if (error instanceof LockedError) {
      console.error(error.message)
      process.exit(exitLocked)
    }
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      console.error(`Port ${config.port} on ${config.host} is taken. Set PORT to a free one.`)
      process.exit(2)
    }
    throw error
  }
  greet(server)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}

function greet({ ctx, url }: RunningServer): void {
  console.log(`Stemma listens on ${url}, data in ${ctx.config.dataDir}. The API is described at ${url}/docs`)
  const secret = firstStart(ctx)
  if (!secret) return
  console.log(`
First start: there is now the organization "default" and the user "admin". Their token, shown this once:

  ${secret}

Try it:

  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/user
`)
}
