import { setTimeout as sleep } from 'node:timers/promises'
import type { Response } from 'express'
import { sessionNow } from '../../access/session.ts'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { BrowserUser } from '../../http/browser-session.ts'
import type { Live } from './page.ts'
import { headers, sendData } from './send.ts'
import type { Exchange } from './workbench.ts'

/** How often the state is read, in milliseconds. */
const pollMs = 300
/** How often the user's rights are checked while nothing changes. */
const checkMs = 10_000
/** After this time the page asks again only when its reader comes back to it. */
const longestMs = 30 * 60_000
/** The most streams of the server and of a user: a browser has six connections to a server. */
const mostStreams = 500
const mostOfUser = 4
/** A client that takes so few bytes is not there any more. */
const mostWaiting = 16_384

type Streams = { hasEnded: boolean; users: Map<Response, string> }

const streams = stateSlot((): Streams => ({ hasEnded: false, users: new Map() }))

/** Ends all streams, so that the server can stop, and begins no others. */
export function endStreams({ caches }: Pick<Context, 'caches'>): void {
  const all = caches.get(streams)
  all.hasEnded = true
  for (const res of all.users.keys()) res.end()
}

type Watched = {
  ctx: Context
  user: BrowserUser
  live: Live
  /** Runs the guard of the page again. Throws if it refuses. */
  guard: (user: BrowserUser) => void
}

/**
 * Sends the states of a page until it is closed, the user loses the right to see it, or the server
 * stops. Answers a client that does not ask for events with the state of now.
 */
export async function sendLive({ req, res }: Exchange, watched: Watched): Promise<void> {
  const { ctx, live, user } = watched
  if (!req.get('accept')?.includes('text/event-stream'))
    return sendData(res, 200, await live.read())
  const all = ctx.caches.get(streams)
  const { id } = user.actor.user
  const own = [...all.users.values()].filter(each => each === id).length

  // The browser does not ask again after a 204.
  if (all.hasEnded || all.users.size >= mostStreams || own >= mostOfUser)
    return void res.set(headers).status(204).end()

  res.set({
    ...headers,
    'Content-Type': 'text/event-stream; charset=utf-8',
    // Otherwise nginx collects the events.
    'X-Accel-Buffering': 'no',
  })
  if (req.method === 'HEAD') return void res.end()
  res.write('retry: 5000\n\n')
  all.users.set(res, id)
  const leave = live.join()

  try {
    await sendStates(res, watched)
  } finally {
    leave()
    all.users.delete(res)
    res.end()
  }
}

async function sendStates(res: Response, { ctx, live, user, guard }: Watched): Promise<void> {
  const until = performance.now() + longestMs
  let sent = JSON.stringify({ text: '' })
  let checked = performance.now()
  const isOpen = () => !res.destroyed && !res.writableEnded && res.writableLength < mostWaiting

  while (isOpen()) {
    await ctx.store.gate?.pass()
    const state = JSON.stringify(await live.read())
    const isNew = state !== sent
    if (isNew || performance.now() - checked > checkMs) {
      if (!mayStill(ctx, user, guard)) return
      checked = performance.now()
      res.write(isNew ? `data: ${state}\n\n` : ':\n\n')
      sent = state
    }
    if (performance.now() > until) return void res.write('event: end\ndata:\n\n')
    await sleep(pollMs, undefined, { ref: false })
  }
}

function mayStill(ctx: Context, user: BrowserUser, guard: Watched['guard']): boolean {
  try {
    const now = sessionNow(ctx, user.session)
    if (now) guard({ ...user, ...now })
    return now !== undefined
  } catch {
    return false
  }
}
