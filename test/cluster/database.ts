import { killAll } from '../crash/processes.ts'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { until } from '../support/until.ts'
import { openRelay as openRelayTo, type Relay } from './relay.ts'

/** A server that follows the primary, through a relay. */
type Standby = { server: Cluster; relay: Relay }

/** A primary with standbys. */
export type Database = {
  /** Opens a relay to the primary, also to one that takes over later. */
  openRelay: () => Promise<Relay>
  /** The name of the database of the nodes. */
  name: string
  /**
   * Kills the primary, and promotes the standby that has received most. Returns a function that
   * starts a standby in its place.
   */
  failOver: () => Promise<() => Promise<void>>
  /** The relays between the primary and its standbys. */
  replication: () => readonly Relay[]
  /** Kills the standbys with these numbers. Returns a function that starts them again. */
  loseStandbys: (numbers: readonly number[]) => () => Promise<void>
  /** Resolves when all standbys follow. */
  isReplicated: () => Promise<unknown>
  stop: () => Promise<void>
}

const standbys = 2
/** A standby that follows a new primary later than this is worth a line. */
const slowMs = 2_000

/**
 * Starts a primary with two standbys, one of which must have each commit before it is acknowledged,
 * unless `isSynchronous` is false.
 */
export async function openDatabase(isSynchronous: boolean): Promise<Database> {
  const settings = [
    'synchronous_commit=on',
    `synchronous_standby_names=${isSynchronous ? 'ANY 1 (*)' : ''}`,
    'wal_keep_size=256MB',
    'wal_retrieve_retry_interval=200ms',
  ]
  let primary = await startCluster({
    settings: ['wal_keep_size=256MB'],
  })
  const relays: Relay[] = []
  const followers: Standby[] = []
  let last = 0
  const addStandby = async () => {
    const relay = await openRelayTo(primary.socket)
    const follows = { port: relay.port, as: `standby${++last}` }
    followers.push({ server: await startCluster({ settings, follows }), relay })
  }
  const isReplicated = () =>
    until('the standbys follow', async () => {
      const rows = await primary.query(
        "select 1 from pg_stat_replication where state = 'streaming' and application_name <> 'pg_basebackup'",
      )
      return rows.length >= followers.length || undefined
    })
  for (let n = 0; n < standbys; n++) await addStandby()
  await isReplicated()
  // The first one could not wait for standbys that did not exist yet.
  await configure(primary, settings.slice(0, 2))
  const name = new URL(await primary.create()).pathname.slice(1)

  return {
    name,
    isReplicated,
    async openRelay() {
      const relay = await openRelayTo(primary.socket)
      relays.push(relay)
      return relay
    },
    replication: () => followers.map(({ relay }) => relay),
    loseStandbys(numbers) {
      const lost = numbers.map(number => followers[number]!.server)
      for (const server of lost) killAll(server.process.pid!)
      return async () => {
        for (const server of lost) await server.start()
        await isReplicated()
      }
    },
    async failOver() {
      killAll(primary.process.pid!)
      for (const { relay } of followers) relay.cut()
      const next = await furthest(followers)
      await next.server.query('select pg_promote(true, 60)')
      followers.splice(followers.indexOf(next), 1)
      const former = primary
      primary = next.server
      await next.relay.close()
      for (const relay of [...followers.map(follower => follower.relay), ...relays]) {
        relay.target = primary.socket
        // The connections to the killed server.
        relay.cut()
        relay.restore()
      }
      // Until the other standby follows, no commit is acknowledged: that is no delay of the nodes.
      const promoted = performance.now()
      const tell = () => {
        const ms = Math.round(performance.now() - promoted)
        if (ms > slowMs)
          console.log(`the other standby has followed the new primary after ${ms} ms`)
      }
      isReplicated().then(tell, () => {})
      return async () => {
        former.stop()
        await addStandby()
        await isReplicated()
      }
    },
    async stop() {
      await Promise.all(
        [...followers, ...relays.map(relay => ({ relay }))].map(each => each.relay.close()),
      )
      for (const server of [...followers.map(follower => follower.server), primary]) server.stop()
    },
  }
}

async function configure(server: Cluster, settings: readonly string[]): Promise<void> {
  for (const setting of settings) {
    const [key, value] = setting.split('=') as [string, string]
    await server.query(`alter system set ${key} = '${value}'`)
  }
  await server.query('select pg_reload_conf()')
}

/** Returns the standby that has received most. */
async function furthest(standbys: readonly Standby[]): Promise<Standby> {
  const received = await Promise.all(
    standbys.map(async standby => {
      const [row] = await standby.server.query(
        "select pg_wal_lsn_diff(coalesce(pg_last_wal_receive_lsn(), '0/0'), '0/0')::float8 as at",
      )
      return { standby, at: Number(row!.at) }
    }),
  )
  return received.reduce((best, each) => (each.at > best.at ? each : best)).standby
}
