import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { bringOnDemand, haveFollowed } from './actions/catch-up/catch-up.ts'
import { stopPrints } from './actions/print/print-pdf.ts'
import { settleHosts } from './actions/sites/settle-hosts.ts'
import { recover } from './actions/upkeep/recover.ts'
import { loadIntegrations, makeApp } from './app.ts'
import { type Config, hostUrl } from './config.ts'
import type { Context } from './context.ts'
import { checkGitVersion } from './git/process/run.ts'
import { isProxy } from './http/limits/client-address.ts'
import { limitConnections } from './http/limits/connections.ts'
import { expectsContinue } from './http/receiving/read-body.ts'
import { lockFolder } from './lock.ts'
import { countRefusal } from './metrics.ts'
import { makeLogger, openContext } from './open.ts'
import { enqueue } from './queue/enqueue.ts'
import { stopTransfers } from './transfers/spools.ts'
import { startWatch } from './watch.ts'
import { endStreams } from './workbench/frame/live.ts'
import { Worker } from './worker.ts'

export type RunningServer = {
  ctx: Context
  /** The address of the server, e.g. `http://127.0.0.1:3000`. */
  url: string
  /**
   * Stops listening, waits up to 10 s for requests in flight, interrupts jobs so that they can be
   * resumed, and closes.
   */
  stop: () => Promise<void>
  /**
   * Loads the integrations of the operator's folder again, for organizations that did not exist
   * before.
   */
  loadIntegrations: () => void
}

const graceMs = 10_000
/**
 * How long an idle connection is kept open: longer than proxies keep theirs (nginx and AWS 60 s,
 * Traefik 90 s, Caddy 2 min). Otherwise they may send a request, which they cannot repeat if it is
 * a POST, into a connection that is closing.
 */
const keptMs = 125_000
/** A push may take an hour. `readBody` ends slow bodies of the API by itself. */
const longestRequestMs = 3_600_000
const minute = 60_000

/**
 * Opens the data folder, recovers from a crash, and listens. Throws LockedError if another server
 * holds the folder.
 */
export async function start(
  config: Config,
  log: Logger = makeLogger(config.logLevel),
): Promise<RunningServer> {
  await checkGitVersion()
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = lockFolder(config.dataDir, `listening on ${config.host}:${config.port}`)
  let url = ''
  const worker = new Worker(() => ctx)
  let ctx: ReturnType<typeof openContext>

  try {
    ctx = openContext(config, log, {
      publicUrl: () => config.publicUrl ?? url,
      wake: config.readOnly ? () => {} : () => worker.wake(),
      check: true,
    })
  } catch (error) {
    lock.release()
    throw error
  }

  try {
    // From now on `store.time` is that of the database.
    await ctx.store.gate?.pass()
    bringOnDemand(ctx)
    await recover(ctx)
    settleHosts(ctx)
    queueTidy(ctx)
    const server = openServer(ctx)

    await listen(server, config)
    const { port } = server.address() as AddressInfo
    url = hostUrl(config.host, port)
    lock.describe(`listening on ${config.host}:${port}`)
    // What a crash left unfinished is finished in read-only mode, too: reads depend on it.
    if (config.readOnly) ctx.store.refuseWrites()
    else worker.start()
    const endWatch = startWatch(ctx, lock)
    const stop = async () => {
      await Promise.all([endStreams(ctx), close(server), endWatch()])
      await stopPrints(ctx)
      await stopTransfers(ctx)
      await worker.stop()
      await haveFollowed(ctx)
      ctx.close()
      lock.release()
    }
    let stopped: Promise<void> | undefined

    return {
      ctx,
      url,
      loadIntegrations: () => loadIntegrations(ctx),
      stop: () => {
        stopped ??= stop()
        return stopped
      },
    }
  } catch (error) {
    ctx.close()
    lock.release()
    throw error
  }
}

function queueTidy({ store, now }: Context): void {
  const runAt = now().getTime() + minute
  enqueue(store, { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy', runAt }, now())
}

/** Creates the HTTP server of a context, with all limits on times and counts. */
function openServer(ctx: Context): ReturnType<typeof createServer> {
  const { config } = ctx
  const server = createServer(
    { maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 2_000 },
    makeApp(ctx),
  )

  server.headersTimeout = 10_000
  server.requestTimeout = longestRequestMs
  server.keepAliveTimeout = keptMs
  server.maxConnections = 2_000

  // A client that waits for "100 Continue" gets it when its body is read.
  server.on('checkContinue', (req, res) => {
    expectsContinue(req)
    server.emit('request', req, res)
  })

  limitConnections(server, {
    perAddress: config.maxConnectionsPerAddress,
    isProxy: address => isProxy(address, config.trustProxy),
    onRefused: () => countRefusal('connections'),
  })

  return server
}

const listen = (server: ReturnType<typeof createServer>, config: Config) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })

const close = (server: ReturnType<typeof createServer>) =>
  new Promise<void>(resolve => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs)
    // Close connections that clients keep open after their last response.
    const idle = setInterval(() => server.closeIdleConnections(), 100)
    server.close(() => {
      clearTimeout(force)
      clearInterval(idle)
      resolve()
    })
    server.closeIdleConnections()
  })
