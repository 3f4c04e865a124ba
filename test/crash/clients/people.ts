import { createToken } from '../../../src/actions/people/create-token.ts'
import { Store } from '../../../src/store/store.ts'
import { databaseOf, readDeliveries } from '../check/rows.ts'
import type { World } from '../world.ts'
import type { Call } from './call.ts'

/** Invites a second user with all rights, and registers a webhook for all events; once. */
export async function invitePeople(world: World, call: Call): Promise<void> {
  if (world.peer) return
  const organization = '/v1/orgs/default'
  const invitation = { emails: ['peer@example.org'], role: 'admin' }
  const invited = await call({ method: 'POST', path: `${organization}/invites`, body: invitation })
  if (invited?.status !== 200) throw new Error(`the invitation failed: ${invited?.text}`)

  const id: string = invited.body.users[0]
  const { dataDir, shared } = world
  const store = shared
    ? new Store(':memory:', { postgres: { url: shared.url } })
    : new Store(databaseOf(dataDir))
  const { secret: token } = createToken(store, { userId: id, name: 'peer' }, new Date())

  store.close()
  const { url } = world.receiver
  const webhook = { url, events: ['*'], secret: world.webhookSecret }
  const made = await call({ method: 'POST', path: `${organization}/webhooks`, body: webhook })
  if (made?.status !== 201) throw new Error(`no webhook: ${made?.text}`)
  world.peer = { id, token }
}

const patienceMs = 120_000

/** Waits until no delivery is pending. Each must have arrived, with a valid signature. */
export async function checkDeliveries(world: World): Promise<string[]> {
  const { receiver } = world
  const found = [...receiver.problems]
  for (let waited = 0; ; waited += 100) {
    const deliveries = await readDeliveries(world)
    const waiting = deliveries.filter(({ state }) => state === 'waiting')
    if (waiting.length > 0 && waited < patienceMs) {
      await new Promise(resolve => setTimeout(resolve, 100))
      continue
    }

    if (waiting.length > 0)
      found.push(`${waiting.length} deliveries are still pending: ${JSON.stringify(waiting[0])}`)

    for (const { event_id, state, error } of deliveries) {
      if (state === 'failure') found.push(`the event ${event_id} was abandoned: ${error}`)
      if (state === 'success' && !receiver.taken.has(event_id))
        found.push(`the event ${event_id} is recorded as delivered, but did not arrive`)
    }

    return found
  }
}
