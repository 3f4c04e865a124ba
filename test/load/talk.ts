import { join } from 'node:path'
import { createToken } from '../../src/actions/people/create-token.ts'
import { Store } from '../../src/store/store.ts'
import type { Rows } from '../crash/check/rows.ts'
import type { Ask, Call, Reply } from '../crash/clients/call.ts'
import type { Random } from '../crash/random.ts'
import type { World } from '../crash/world.ts'
import { pause } from './developer.ts'

/**
 * A thread with many concurrent writers: one comment with its replies and reactions, and other
 * comments beside it.
 */
export type Thread = {
  spaceId: string
  id: string
  /** The API path of the comment; the path of the other comments. */
  path: string
  comments: string
  /** One token per participant. */
  people: string[]
  /** Facts that were promised, and comments that are deleted again. */
  comment: Set<string>
  replies: Set<string>
  deleted: Set<string>
  /** The participants who have reacted, by emoji. */
  liked: Map<string, Set<number>>
  took: number[]
  problems: string[]
}

const talkers = 16
const emoji = ['👍', '🎉', ':eyes:']

/** Invites the participants and posts the comment that they discuss. */
export async function openThread(call: Call, world: World, spaceId: string): Promise<Thread> {
  const emails = Array.from({ length: talkers }, (_, n) => `talker-${n}@example.org`)
  const comments = `/v1/spaces/${spaceId}/comments`
  const send = async (path: string, body: unknown): Promise<Reply> => {
    const reply = await call({ method: 'POST', path, body })
    if (!reply || reply.status >= 300)
      throw new Error(`${path} was answered ${reply?.status} ${reply?.text}`)
    return reply
  }
  const { body: invited } = await send('/v1/orgs/default/invites', { emails, role: 'admin' })
  const store = new Store(join(world.dataDir, 'stemma.db'))
  const people = (invited.users as string[]).map(
    userId => createToken(store, { userId, name: 'talk' }, new Date()).secret,
  )

  store.close()
  const token = world.fresh('say')
  const { body } = await send(comments, { body: { markdown: token } })

  return {
    spaceId,
    id: body.id,
    path: `${comments}/${body.id}`,
    comments,
    people,
    comment: new Set([token]),
    replies: new Set(),
    deleted: new Set(),
    liked: new Map(emoji.map(each => [each, new Set()])),
    took: [],
    problems: [],
  }
}

export type Talk = { random: Random; fresh: () => string; isOver: () => boolean }

/** All participants talk until it is over: they comment, reply, react, resolve and delete. */
export async function talk(call: Call, thread: Thread, options: Talk): Promise<void> {
  await Promise.all(thread.people.map((_, person) => talkAs(call, thread, person, options)))
}

async function talkAs(
  call: Call,
  thread: Thread,
  person: number,
  { random, fresh, isOver }: Talk,
): Promise<void> {
  const mine: { id: string; token: string }[] = []
  const send = async (asked: Ask): Promise<Reply | undefined> => {
    const begun = performance.now()
    const reply = await call({ ...asked, as: thread.people[person] })
    if (reply && reply.status >= 200 && reply.status < 300) {
      thread.took.push(performance.now() - begun)
      return reply
    }

    thread.problems.push(
      `${asked.method} ${asked.path} was answered ${reply?.status} ${reply?.text.slice(0, 300)}`,
    )

    return undefined
  }

  const say = async (path: string, said: Set<string>) => {
    const token = fresh()
    const reply = await send({ method: 'POST', path, body: { body: { markdown: token } } })
    if (reply) said.add(token)
    else thread.deleted.add(token)
    return reply && { id: String(reply.body.id), token }
  }

  const react = async () => {
    const one = random.pick(emoji)
    const those = thread.liked.get(one)!
    const does = those.has(person)
    const body = does ? { removedReactions: [one] } : { addedReactions: [one] }
    if (!(await send({ method: 'PUT', path: thread.path, body }))) return
    if (does) those.delete(person)
    else those.add(person)
  }

  const takeBack = async () => {
    const last = mine.pop()
    if (!last || !(await send({ method: 'DELETE', path: `${thread.path}/replies/${last.id}` })))
      return
    thread.replies.delete(last.token)
    thread.deleted.add(last.token)
  }

  while (!isOver()) {
    const most = random.below(100)
    if (most < 15) await say(thread.comments, thread.comment)
    else if (most < 50) {
      const made = await say(`${thread.path}/replies`, thread.replies)
      if (made) mine.push(made)
    } else if (most < 75) await react()
    else if (most < 90)
      await send({ method: 'PUT', path: thread.path, body: { resolved: random.chance(0.5) } })
    else await takeBack()

    // Without the pause they would use most of the server's time: an edit takes many turns of the
    // event loop, their requests one.
    await pause(random.below(100))
  }
}

/**
 * Checks that promised facts are true once, that deleted ones are not, and that the API's counts
 * match the rows.
 */
export async function checkThread(call: Call, rows: Rows, thread: Thread): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const { space_id, fact } of rows.facts)
    if (space_id === thread.spaceId) counts.set(fact, (counts.get(fact) ?? 0) + 1)
  const found = [...thread.problems]
  const expect = (fact: string, count: number) => {
    if ((counts.get(fact) ?? 0) !== count)
      found.push(`"${fact}" is true ${counts.get(fact)} times, not ${count}`)
  }

  for (const token of [...thread.comment, ...thread.replies]) expect(token, 1)
  for (const token of thread.deleted) expect(token, 0)
  for (const [one, those] of thread.liked) expect(`reaction ${thread.id} ${one}`, those.size)
  const shown = await call({ method: 'GET', path: thread.path })
  if (shown?.body.replies !== thread.replies.size)
    found.push(`the comment counts ${shown?.body.replies} replies of ${thread.replies.size}`)

  const space = await call({ method: 'GET', path: `/v1/spaces/${thread.spaceId}` })
  const open = thread.comment.size - (shown?.body.status === 'resolved' ? 1 : 0)
  if (space?.body.comments !== open)
    found.push(`the space counts ${space?.body.comments} open comments of ${open}`)

  return found
}
