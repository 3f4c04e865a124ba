import type { Promised, Space, Talk, Word } from '../ledger.ts'
import { type Act, ask, type Desk } from './ask.ts'

/** Sets several facts to a word. */
function say({ facts }: Space, which: readonly string[], word: Word): void {
  for (const fact of which) facts.set(fact, word)
}

const talksOf = (space: Space, client: number): Talk[] =>
  space.talks.filter(talk => talk.client === client)

/** Posts a comment in the space or in a change request, merged or not. */
const comment: Act = (desk, client, space) => {
  const { random } = desk
  const token = desk.fresh('say')
  const request = random.chance(0.5) ? pickRequest(desk, space, () => true) : undefined
  const path = `/v1/spaces/${space.id}${request ? `/change-requests/${request.id}` : ''}/comments`
  const as = random.chance(0.4) ? desk.peer?.token : undefined

  say(space, [token], 'no')

  return ask(
    desk,
    space,
    { method: 'POST', path, body: { body: { markdown: token } }, as, kind: 'comment' },
    ({ body }) => {
      const facts = [token, `comment ${body.id}`]
      space.talks.push({ id: body.id, path: `${path}/${body.id}`, client, as, replies: [], facts })
      say(space, facts, 'yes')
    },
    () => say(space, [token], 'maybe'),
  )
}

const onTalk =
  (act: (desk: Desk, space: Space, talk: Talk) => ReturnType<Act>): Act =>
  (desk, client, space) => {
    const talks = talksOf(space, client)
    return talks.length === 0
      ? comment(desk, client, space)
      : act(desk, space, desk.random.pick(talks))
  }

const reply = onTalk((desk, space, talk) => {
  const token = desk.fresh('say')
  talk.facts.push(token)
  say(space, [token], 'no')

  return ask(
    desk,
    space,
    {
      method: 'POST',
      path: `${talk.path}/replies`,
      body: { body: { markdown: token } },
      as: talk.as,
      kind: 'reply',
    },
    ({ body }) => {
      const fact = `reply ${body.id}`
      talk.replies.push({ id: body.id, token })
      talk.facts.push(fact)
      say(space, [token, fact], 'yes')
    },
    () => say(space, [token], 'maybe'),
  )
})

/** Replaces one fact by another with one request. */
function turn(
  desk: Desk,
  space: Space,
  talk: Talk,
  { fact, to, kind, body }: { fact: string; to: Word; kind: string; body: unknown },
): ReturnType<Act> {
  if (!talk.facts.includes(fact)) talk.facts.push(fact)
  return ask(
    desk,
    space,
    { method: 'PUT', path: talk.path, body, as: talk.as, kind },
    () => say(space, [fact], to),
    () => say(space, [fact], 'maybe'),
  )
}

const react = onTalk((desk, space, talk) => {
  const emoji = desk.random.pick(['👍', '🎉', ':eyes:'])
  const fact = `reaction ${talk.id} ${emoji}`
  const is = space.facts.get(fact) === 'yes'
  const body = is ? { removedReactions: [emoji] } : { addedReactions: [emoji] }
  return turn(desk, space, talk, { fact, to: is ? 'no' : 'yes', kind: 'reaction', body })
})

const resolve = onTalk((desk, space, talk) => {
  const fact = `resolved ${talk.id}`
  const is = space.facts.get(fact) === 'yes'
  return turn(desk, space, talk, {
    fact,
    to: is ? 'no' : 'yes',
    kind: 'resolved',
    body: { resolved: !is },
  })
})

/** Deletes a comment with everything below it. */
const deleteTalk = onTalk((desk, space, talk) => {
  space.talks.splice(space.talks.indexOf(talk), 1)
  return ask(
    desk,
    space,
    { method: 'DELETE', path: talk.path, as: talk.as, kind: 'comment deletion' },
    () => say(space, talk.facts, 'no'),
    () =>
      say(
        space,
        talk.facts.filter(fact => space.facts.get(fact) !== 'no'),
        'maybe',
      ),
  )
})

const deleteReply = onTalk((desk, space, talk) => {
  const last = talk.replies.pop()
  if (!last) return react(desk, talk.client, space)
  const facts = [last.token, `reply ${last.id}`]

  return ask(
    desk,
    space,
    {
      method: 'DELETE',
      path: `${talk.path}/replies/${last.id}`,
      as: talk.as,
      kind: 'reply deletion',
    },
    () => say(space, facts, 'no'),
    () => say(space, facts, 'maybe'),
  )
})

function pickRequest(
  { random }: Desk,
  space: Space,
  fits: (request: Promised) => boolean,
): Promised | undefined {
  const fitting = space.requests.filter(fits)
  return fitting.length > 0 ? random.pick(fitting) : undefined
}

/** Requests a review from the second user, or withdraws the request. */
const askReviewer: Act = (desk, client, space) => {
  const { peer } = desk
  const request = pickRequest(desk, space, each => each.client === client && each.merged === 'no')
  if (!peer || !request) return comment(desk, client, space)

  const path = `/v1/spaces/${space.id}/change-requests/${request.id}/requested-reviewers`
  const fact = `asked ${request.id}`
  const is = space.facts.get(fact) === 'yes'

  return ask(
    desk,
    space,
    is
      ? { method: 'DELETE', path: `${path}/${peer.id}`, kind: 'reviewer removal' }
      : { method: 'POST', path, body: { users: [peer.id] }, kind: 'reviewer' },
    () => say(space, [fact], is ? 'no' : 'yes'),
    () => say(space, [fact], 'maybe'),
  )
}

/** Submits a review of a change request as the second user, with a comment. */
const review: Act = (desk, client, space) => {
  const { peer } = desk
  const request = pickRequest(desk, space, each => each.client === client && each.merged === 'no')
  if (!peer || !request) return comment(desk, client, space)

  const token = desk.fresh('say')
  const status = desk.random.chance(0.5) ? 'approved' : 'changes-requested'

  say(space, [token], 'no')
  const path = `/v1/spaces/${space.id}/change-requests/${request.id}/reviews`

  return ask(
    desk,
    space,
    {
      method: 'POST',
      path,
      body: { status, comment: { markdown: token } },
      as: peer.token,
      kind: 'review',
    },
    ({ body }) => say(space, [token, `review ${body.id}`, `comment ${body.comment.id}`], 'yes'),
    () => say(space, [token], 'maybe'),
  )
}

const roles = ['read', 'comment', 'edit', 'review', 'create', 'admin']

/** Gives the second user a role in the space, or removes it. */
const changeRole: Act = (desk, client, space) => {
  const { peer, random } = desk
  if (!peer) return comment(desk, client, space)
  const facts = roles.map(role => `role ${role}`)
  const role = random.chance(0.2) ? undefined : random.pick(roles)
  const path = `/v1/spaces/${space.id}/permissions`
  const asked = role
    ? { method: 'POST', path, body: { role, users: [peer.id] }, kind: 'role' }
    : { method: 'DELETE', path: `${path}/users/${peer.id}`, kind: 'role removal' }

  return ask(
    desk,
    space,
    asked,
    () => {
      say(space, facts, 'no')
      if (role) say(space, [`role ${role}`], 'yes')
    },
    () => {
      const open = facts.filter(fact => space.facts.get(fact) !== 'no')
      say(space, [...open, ...(role ? [`role ${role}`] : [])], 'maybe')
    },
  )
}

/** The frequencies of the actions, as running sums in hundredths. */
const acts: [below: number, act: Act][] = [
  [26, comment],
  [46, reply],
  [58, react],
  [72, resolve],
  [77, deleteTalk],
  [82, deleteReply],
  [90, askReviewer],
  [100, review],
]

/** Discusses a space: comments and replies, reviews and reviewers, and roles. */
export const discuss: Act = (desk, client, space) => {
  // Only one client changes roles, so that it knows their state.
  if (client === 0 && desk.random.chance(0.3)) return changeRole(desk, client, space)
  const most = desk.random.below(100)
  return acts.find(([below]) => most < below)![1](desk, client, space)
}
