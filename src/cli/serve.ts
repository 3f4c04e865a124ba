import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { type Config, unknownSettings } from '../config.ts'
import type { RunningServer } from '../server.ts'
import { exitFailed, exitUsage, Failure } from './failure.ts'
import { newCommand } from './new-command.ts'
import { missingFolders, prepareFolder } from './prepare-folder.ts'
import { print } from './print.ts'
import { lockFailure, readSettings } from './settings.ts'

/** `stemma serve`: the server, settings from the environment. */
export const serveCommand = (): Command =>
  newCommand(
    'serve',
    'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, STEMMA_ADMIN_TOKEN, STEMMA_ALLOW_PRIVATE_REMOTES, STEMMA_NAME_SERVERS, STEMMA_TRUST_PROXY, STEMMA_MAX_IMPORT_PACK_MB, STEMMA_MAX_REPOSITORY_MB, STEMMA_MAX_IMPORT_SECONDS, STEMMA_MAX_COMMENTS_PER_HOUR, STEMMA_MAX_ORGANIZATION_MB, STEMMA_MAX_SPACES_PER_DAY, STEMMA_MAX_TOKENS, STEMMA_MAX_REQUESTS_PER_MINUTE, STEMMA_MAX_AUTH_FAILURES_PER_MINUTE, STEMMA_MAX_CONNECTIONS_PER_ADDRESS, STEMMA_AUDIT_READS, STEMMA_TEMPLATES, STEMMA_FONTS, STEMMA_LOG, STEMMA_METRICS_TOKEN. They are described in docs/configuration.md',
    'STEMMA_DATA=/srv/stemma PORT=3000 stemma serve',
  )
    .summary(
      'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, …',
    )
    .action(serve)

/**
 * How much V8's heap may grow from one full collection to the next, in percent of what is alive. Left alone it lets it grow
 * to four times that, which for a server that has read big spaces is 100 MB of nothing.
 */
const heapGrowing = 40

/** Listens until SIGTERM or SIGINT, then ends the process. */
async function serve(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowing}`)
  const config = readSettings()
  const unknown = unknownSettings(process.env)
  if (unknown !== undefined) console.error(unknown)
  for (const sentence of missingFolders(config)) console.error(sentence)
  prepareFolder(config.dataDir)
  const { start } = await import('../server.ts')
  const { firstStart } = await import('../actions/upkeep/first-start.ts')
  let server: RunningServer
  try {
    server = await start(config)
  } catch (error) {
    throw listenFailure(config, error) ?? lockFailure(error)
  }
  // Before anybody hears that it is there, who may then end it.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, error => void giveUp(server, error))
  const told = new Promise<void>(resolve => {
    // Not once: what starts programs may send its signal to the process and to its group, and the second must not kill.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  })
  print(
    `Stemma listens on ${server.url}, data in ${config.dataDir}. The API is described at ${server.url}/docs`,
  )
  try {
    const secret = firstStart(server.ctx)
    if (secret) greet(server.url, config.adminToken ? undefined : secret)
  } catch (error) {
    // A server that nobody can talk to must not look like one that runs.
    await server.stop()
    throw error
  }
  await told
  await server.stop()
  // Whatever still holds the process (a client that does not hang up) has had its time.
  process.exit(0)
}

/** How many milliseconds requests in flight get to end when the server gives up. */
const lastMs = 5_000

let givenUp = false

/**
 * Ends the process after an error that nobody caught: who knows what else is wrong by now. Whatever is half done is in the
 * journal, and whatever starts the server again settles it.
 */
async function giveUp(server: RunningServer, error: unknown): Promise<void> {
  const err = error instanceof Error ? (error.stack ?? error.message) : String(error)
  server.ctx.log.fatal({ err }, 'an error that nobody expected: the server ends, start it again')
  if (givenUp) process.exit(exitFailed)
  givenUp = true
  console.error(
    `Something went wrong that nobody expected: ${String(error).split('\n', 1)[0]}. The server ends; start it again.`,
  )
  setTimeout(() => process.exit(exitFailed), lastMs)
  await server.stop().catch(() => {})
  process.exit(exitFailed)
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

/** A token that the operator has chosen is known to them, and stays out of logs: `secret` is undefined. */
function greet(url: string, secret: string | undefined): void {
  const made = 'First start: there is now the organization "default" and the user "admin".'
  if (secret === undefined) print(`\n${made} Their token is the one in STEMMA_ADMIN_TOKEN.\n`)
  else
    print(`
${made} Their token, shown this once:

  ${secret}

Try it:

  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/user
`)
}
