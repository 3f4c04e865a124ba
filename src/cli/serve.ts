import type { Command } from 'commander'
import { type Config, unknownSettings } from '../config.ts'
import type { RunningServer } from '../server.ts'
import { exitUsage, Failure } from './failure.ts'
import { newCommand } from './new-command.ts'
import { prepareFolder } from './prepare-folder.ts'
import { print } from './print.ts'
import { lockFailure, readSettings } from './settings.ts'

/** `stemma serve`: the server, settings from the environment. */
export const serveCommand = (): Command =>
  newCommand(
    'serve',
    'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, STEMMA_ADMIN_TOKEN, STEMMA_ALLOW_PRIVATE_REMOTES, STEMMA_MAX_IMPORT_PACK_MB, STEMMA_MAX_REPOSITORY_MB, STEMMA_MAX_IMPORT_SECONDS, STEMMA_LOG, STEMMA_METRICS_TOKEN. README.md says what they are',
    'STEMMA_DATA=/srv/stemma PORT=3000 stemma serve',
  )
    .summary(
      'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, …',
    )
    .action(serve)

/** Listens until SIGTERM or SIGINT, then ends the process. */
async function serve(): Promise<void> {
  const config = readSettings()
  const unknown = unknownSettings(process.env)
  if (unknown !== undefined) console.error(unknown)
  prepareFolder(config.dataDir)
  const { start } = await import('../server.ts')
  const { firstStart } = await import('../actions/first-start.ts')
  let server: RunningServer
  try {
    server = await start(config)
  } catch (error) {
    throw listenFailure(config, error) ?? lockFailure(error)
  }
  print(
    `Stemma listens on ${server.url}, data in ${config.dataDir}. The API is described at ${server.url}/docs`,
  )
  const secret = firstStart(server.ctx)
  if (secret) greet(server.url, secret)
  await new Promise<void>(resolve => {
    // Not once: what starts programs may send its signal to the process and to its group, and the second must not kill.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  })
  await server.stop()
  // Whatever still holds the process (a client that does not hang up) has had its time.
  process.exit(0)
}

function listenFailure({ host, port }: Config, error: unknown): Failure | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Failure(`Port ${port} on ${host} is taken. Set PORT to a free one.`, exitUsage)
  if (code === 'EACCES' && syscall === 'listen')
    return new Failure(`This user may not listen on port ${port}. Set PORT to one above 1023.`, exitUsage)
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return new Failure(`HOST is ${JSON.stringify(host)}, which is no address of this machine.`, exitUsage)
  return undefined
}

const greet = (url: string, secret: string): void =>
  print(`
First start: there is now the organization "default" and the user "admin". Their token, shown this once:

  ${secret}

Try it:

  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/user
`)
