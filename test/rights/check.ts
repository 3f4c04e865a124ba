import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { atLeast, effectiveRole } from '../../src/access/roles.ts'
import { findMembership } from '../../src/store/people/members.ts'
import { findStandings, type Kind } from '../../src/store/people/roles-of-user.ts'
import { listThingsOf } from '../../src/store/spaces/things.ts'
import type { Role } from '../../src/store/tables/roles.ts'
import { type Call, type Story, stories } from './calls.ts'
import { openStage, type Stage, World } from './world.ts'

type Held = { userId: string; thing: string; role: Role | null }

/** Returns every user's role on every space and collection, and in the organization. */
function look({ stage, id: organizationId }: World): Map<string, Held> {
  const { store } = stage.app.ctx
  const things = listThingsOf(store, organizationId)
  const held = new Map<string, Held>()
  const put = (userId: string, thing: string, role: Role | null) =>
    held.set(`${userId} ${thing}`, { userId, thing, role })

  for (const { id } of stage.people) {
    put(id, 'organization', findMembership(store, organizationId, id)?.role ?? null)
    for (const kind of ['space', 'collection'] as Kind[])
      for (const [thing, standing] of findStandings(store, organizationId, id, kind, things[kind]))
        put(id, `${kind} ${thing}`, effectiveRole(standing))
  }

  return held
}

/** Acceptances of an offer: the only calls that may strengthen their own caller. */
const acceptances: readonly Call['type'][] = ['use-link', 'join', 'accept']
/** Calls that revoke a user's rights. */
const revocations: readonly Call['type'][] = [
  'give',
  'take-back',
  'role',
  'remove',
  'team-add',
  'team-remove',
]

/** Plays a story, and throws at the first call that grants more than it may. */
async function play(stage: Stage, story: Story): Promise<number> {
  const world = new World(stage, story)
  const { store } = stage.app.ctx

  /** The index of the call that last revoked a right, by user and thing. */
  const revokedAt = new Map<string, number>()
  const wereMembers = new Set<string>()

  /** Who last invited a user, and in which call. */
  const invited = new Map<string, { maker: string; step: number }>()
  let done = 0

  for (const [step, call] of story.calls.entries()) {
    for (const { id } of stage.people) if (findMembership(store, world.id, id)) wereMembers.add(id)
    const before = look(world)
    const reply = await world.make(call, step)
    if (!reply) continue

    const after = look(world)

    assert.ok(reply.status < 500, reply.text)
    if (reply.status < 300) done++

    const by = stage.people[call.by]!.id
    const isAdmin = (userId: string, thing: string) =>
      before.get(`${userId} ${thing}`)?.role === 'admin'

    /** Whose invitation the caller accepts, and in which call it was made. */
    const offer =
      call.type === 'use-link'
        ? world.links.at(-1 - call.link)
        : call.type === 'accept'
          ? invited.get(by)
          : undefined

    for (const [key, { userId, thing, role }] of after) {
      const held = before.get(key)?.role
      if (role === null || atLeast(held, role)) continue
      const change = `step ${step} ${JSON.stringify(call)}: ${userId} has "${role}" on ${thing}, had "${held}"`

      if (userId === by && acceptances.includes(call.type)) {
        const since = revokedAt.get(by)
        if (offer) {
          assert.ok(isAdmin(offer.maker, thing), `${change}; the inviter is not an admin of it`)
          assert.ok(
            since === undefined || since < offer.step,
            `${change}; it was revoked at step ${since}`,
          )
        } else assert.not(wereMembers.has(by), `${change}; the user was a member before`)

        continue
      }

      // The owner of a team is trusted to choose its members.
      if (call.type === 'team-add' && userId !== by) continue
      assert.ok(isAdmin(by, thing), `${change}, and the caller is not an admin of it`)
    }

    if (reply.status >= 300)
      assert.equal([...after], [...before], `step ${step} was refused, and changed roles`)
    if (call.type === 'invite' && reply.status < 300)
      for (const person of stage.people)
        if (person.id === stage.people[call.user]!.id) invited.set(person.id, { maker: by, step })
    if (revocations.includes(call.type))
      for (const [key, { userId, role }] of before)
        if (role !== null && !atLeast(after.get(key)?.role, role)) revokedAt.set(userId, step)
  }

  return done
}

/**
 * Plays `runs` random stories of calls by several users of an organization. Throws if a call
 * strengthens a caller who is not an admin, strengthens anyone on something that the caller does
 * not administer, or restores a revoked right without an admin. Returns the number of calls that
 * had an effect.
 */
export async function checkRights(runs: number, seed?: number): Promise<number> {
  const stage = await openStage()
  let done = 0
  try {
    const property = fc.asyncProperty(stories, async story => {
      done += await play(stage, story)
    })
    await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) })
    return done
  } finally {
    await stage.app.stop()
  }
}
