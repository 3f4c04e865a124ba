import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { createWelcomeCode, welcomeUrl } from '../../actions/sso/welcome.ts'
import type { Config } from '../../config.ts'
import type { RunningServer } from '../../server.ts'
import { missingFolders, prepareFolder, refuseForeignFolder } from '../folder/prepare-folder.ts'
import { lockFailure, readSettings, requireKeys } from '../folder/settings.ts'
import { unknownSettings } from '../folder/unknown-settings.ts'
import { exitFailed, exitUsage, Failure } from '../output/failure.ts'
import { print } from '../output/print.ts'
import { newCommand } from './new-command.ts'

/** Defines `stemma serve`: the server, configured by the environment. */
export const serveCommand = (): Command =>
  newCommand(
    'serve',
    'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, STEMMA_SITES_URL, STEMMA_SITE_HOSTS, STEMMA_ADMIN_TOKEN, STEMMA_ALLOW_PRIVATE_REMOTES, STEMMA_NAME_SERVERS, STEMMA_TRUST_PROXY, STEMMA_MAX_IMPORT_PACK_MB, STEMMA_MAX_REPOSITORY_MB, STEMMA_MAX_IMPORT_SECONDS, STEMMA_MAX_COMMENTS_PER_HOUR, STEMMA_MAX_ORGANIZATION_MB, STEMMA_MAX_SPACES_PER_DAY, STEMMA_MAX_CHANGE_REQUESTS_PER_DAY, STEMMA_MAX_TOKENS, STEMMA_MAX_REQUESTS_PER_MINUTE, STEMMA_MAX_AUTH_FAILURES_PER_MINUTE, STEMMA_MAX_CONNECTIONS_PER_ADDRESS, STEMMA_SSO_REDIRECTS, STEMMA_SSO_TOKEN_HOURS, STEMMA_SSO_CLOCK_SECONDS, STEMMA_SESSION_IDLE_MINUTES, STEMMA_WELCOME_ANYWHERE, STEMMA_AUDIT_READS, STEMMA_MANUAL, STEMMA_TEMPLATES, STEMMA_INTEGRATIONS, STEMMA_FONTS, STEMMA_CACHE_MB, STEMMA_LOG, STEMMA_METRICS_TOKEN. They are described in docs/configuration.md',
    'STEMMA_DATA=/srv/stemma PORT=3000 stemma serve',
  )
    .summary(
      'Run the server. Settings come from the environment: STEMMA_DATA, HOST, PORT, STEMMA_PUBLIC_URL, …',
    )
    .action(serve)

/**
 * How much V8's heap may grow between full collections, in percent of live memory. By default it
 * grows to four times that, which wastes 100 MB on a server that has read large spaces.
 */
const heapGrowing = 40

/** Listens until SIGTERM or SIGINT, then ends the process. */
async function serve(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowing}`)
  const config = readSettings()
  const unknown = unknownSettings(process.env)
  if (unknown !== undefined) console.error(unknown)
  for (const sentence of missingFolders(config)) console.error(sentence)
  requireKeys(config)
  prepareFolder(config.dataDir)
  refuseForeignFolder(config)
  const { start } = await import('../../server.ts')
  const { keepLauncher } = await import('../../git/process/launcher.ts')
  const { firstStart } = await import('../../actions/upkeep/first-start.ts')
  let server: RunningServer

  try {
    server = await start(config)
  } catch (error) {
    throw listenFailure(config, error) ?? lockFailure(error)
  }

  const endLauncher = keepLauncher()

  // Before the address is printed: from then on the process may be signalled.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, error => void giveUp(server, error))
  const told = new Promise<void>(resolve => {
    // Not `once`: supervisors may signal both the process and its group, and the second signal must
    // not kill it.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  })

  print(
    `Stemma listens on ${server.url}, data in ${config.dataDir}. The API is described at ${server.url}/docs`,
  )

  try {
    const secret = firstStart(server.ctx)
    if (secret) {
      server.loadIntegrations()
      greet(server, config.adminToken ? undefined : secret)
    }
  } catch (error) {
    // A server without a token must not appear to be running.
    await server.stop()
    throw error
  }

  await told
  await server.stop()
  endLauncher()

  // Anything that still keeps the process alive, such as an open connection, has had its time.
  process.exit(0)
}

/** Milliseconds for requests in flight to finish after a fatal error. */
const lastMs = 5_000

let givenUp = false

/**
 * Ends the process after an uncaught error, since its state is unknown. Unfinished operations are
 * in the journal, and the next start settles them.
 */
async function giveUp(server: RunningServer, error: unknown): Promise<void> {
  const err = error instanceof Error ? (error.stack ?? error.message) : String(error)
  server.ctx.log.fatal({ err }, 'uncaught error: the server stops, restart it')
  if (givenUp) process.exit(exitFailed)
  givenUp = true
  console.error(
    `Unexpected error: ${String(error).split('\n', 1)[0]}. The server stops; restart it.`,
  )
  setTimeout(() => process.exit(exitFailed), lastMs)
  await server.stop().catch(() => {})
  process.exit(exitFailed)
}

function listenFailure({ host, port }: Config, error: unknown): Failure | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Failure(`Port ${port} on ${host} is in use. Set PORT to a free one.`, exitUsage)

  if (code === 'EACCES' && syscall === 'listen')
    return new Failure(
      `No permission to listen on port ${port}. Set PORT to one above 1023.`,
      exitUsage,
    )

  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return new Failure(
      `HOST is ${JSON.stringify(host)}, which is not an address of this machine.`,
      exitUsage,
    )

  return undefined
}

/**
 * Prints how to sign in after the first start: the address that does it in a browser, and the
 * token. A token chosen by the operator is known to them and stays out of logs, and so does the
 * address: `secret` is undefined.
 */
function greet({ ctx, url }: RunningServer, secret: string | undefined): void {
  const made = 'First start: created the organization "default" and the user "admin".'
  const manual = ctx.config.manual ? `\nRead the manual, a published site: ${url}/\n` : ''
  if (secret === undefined) {
    print(`\n${made} Their token is the one in STEMMA_ADMIN_TOKEN.\n${manual}`)
    return
  }

  const code = ctx.store.transact(() =>
    createWelcomeCode(ctx, { userId: 'admin', introduces: true }),
  )
  print(`
${made} Sign in with a browser on this
machine, within an hour (later, "stemma open" prints another address):

  ${welcomeUrl(ctx.publicUrl(), code)}

For scripts, there is a token, shown this once:

  ${secret}

  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/user
${manual}`)
}
