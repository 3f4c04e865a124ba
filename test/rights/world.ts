import { sql } from 'kysely'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import type { Kind } from '../../src/store/people/roles-of-user.ts'
import { insertTeam, putTeamMember } from '../../src/store/people/teams.ts'
import { insertCollection, updateCollection } from '../../src/store/spaces/collections.ts'
import { updateSpace } from '../../src/store/spaces/spaces.ts'
import { sqlRows } from '../../src/store/store.ts'
import { type Actor, type App, type Reply, startApp } from '../support/app.ts'
import { syncNothing } from '../support/database.ts'
import { type Call, counts, type Story } from './calls.ts'

const at = '2026-01-01T00:00:00.000Z'

/** An invitation link: its secret, its maker, and the call that made it. */
export type Link = { secret: string; maker: string; step: number }

/** A server with users and spaces, shared by many stories, one organization after another. */
export type Stage = { app: App; people: Actor[]; spaces: string[]; run: number }

export async function openStage(): Promise<Stage> {
  const app = await startApp()
  insertOrganization(app.ctx.store, { id: 'elsewhere', title: 'Elsewhere', created_at: at })
  const people = Array.from({ length: counts.users }, (_, n) => {
    const person = app.user(`Person${n}`)
    // Keeps the user's token valid after a removal from the organization.
    putMember(app.ctx.store, 'elsewhere', person.id, 'read', at)
    return person
  })
  const spaces: string[] = []

  for (let n = 0; n < counts.spaces; n++)
    spaces.push((await app.admin.post('/v1/orgs/acme/spaces', { title: 'S', empty: true })).body.id)

  syncNothing(app.ctx.store)

  return { app, people, spaces, run: 0 }
}

/** The organization of one story. */
export class World {
  readonly id: string
  readonly links: Link[] = []
  readonly stage: Stage

  constructor(stage: Stage, story: Story) {
    this.stage = stage
    this.id = `org${++stage.run}`
    const { app, people, spaces } = stage
    const { store } = app.ctx

    insertOrganization(store, {
      id: this.id,
      title: 'Org',
      email_domains: ['example.org'],
      outsiders_by_admins: stage.run % 2,
      created_at: at,
    })
    store.run(sqlRows(sql`delete from permission`))
    for (const [n, role] of ['admin' as const, ...story.members].entries())
      if (role !== undefined) putMember(store, this.id, people[n]!.id, role, at)
    insertTeam(store, { id: this.team, organization_id: this.id, title: 'Team', created_at: at })
    for (const [n, member] of story.team.entries())
      putTeamMember(store, this.team, people[member]!.id, n === 0 ? 'owner' : 'member')
    story.collections.forEach(({ parent, level }, n) => {
      const parent_id = parent >= 0 && parent < n ? this.idOf('collection', parent) : null
      const id = this.idOf('collection', n)
      insertCollection(store, {
        id,
        organization_id: this.id,
        parent_id,
        title: 'C',
        position: n + 1,
        created_at: at,
      })
      updateCollection(store, id, { default_level: level })
    })

    story.spaces.forEach(({ parent, level }, n) => {
      updateSpace(store, spaces[n]!, {
        organization_id: this.id,
        collection_id: parent < 0 ? null : this.idOf('collection', parent),
        default_level: level,
        deleted_at: null,
      })
    })

    for (const { kind, id, to, role } of story.given)
      putPermission(store, {
        target_kind: kind,
        target_id: this.idOf(kind, id),
        subject_kind: to === 'team' ? 'team' : 'user',
        subject_id: to === 'team' ? this.team : people[to]!.id,
        role,
        created_at: at,
      })
  }

  get team(): string {
    return `team-${this.id}`
  }

  idOf(kind: Kind, n: number): string {
    return kind === 'space'
      ? this.stage.spaces[n % counts.spaces]!
      : `c${n % counts.collections}-${this.id}`
  }

  /** Makes a call. Returns undefined if its object does not exist, such as a link to use. */
  async make(call: Call, step: number): Promise<Reply | undefined> {
    const { people } = this.stage
    const who = people[call.by]!
    const org = `/v1/orgs/${this.id}`
    const path =
      'kind' in call && call.kind !== 'organization'
        ? `/v1/${call.kind}s/${this.idOf(call.kind, call.id)}`
        : ''
    const target = (one: number | 'team') =>
      one === 'team' ? `teams/${this.team}` : `users/${people[one]!.id}`

    switch (call.type) {
      case 'move':
        return who.post(`${path}/move`, {
          parent: call.parent === null ? null : this.idOf('collection', call.parent),
        })
      case 'give': {
        const subjects =
          call.to === 'team' ? { teams: [this.team] } : { users: [people[call.to]!.id] }
        return who.post(`${path}/permissions`, { role: call.role, ...subjects })
      }
      case 'take-back':
        return who.delete(`${path}/permissions/${target(call.from)}`)
      case 'level':
        return who.patch(path, { defaultLevel: call.level })
      case 'delete':
        return who.delete(path)
      case 'restore':
        return call.kind === 'space' ? who.post(`${path}/restore`) : undefined
      case 'link': {
        const body =
          call.kind === 'organization'
            ? { role: call.role }
            : { level: call.role, [call.kind]: this.idOf(call.kind, call.id) }
        const reply = await who.post(`${org}/link-invites`, body)
        if (reply.status === 201) this.links.push({ secret: reply.body.id, maker: who.id, step })
        return reply
      }
      case 'use-link': {
        const link = this.links.at(-1 - call.link)
        return link && who.post(`${org}/invites/${link.secret}`)
      }
      case 'role':
        return who.patch(`${org}/members/${people[call.user]!.id}`, { role: call.role })
      case 'remove':
        return who.delete(`${org}/members/${people[call.user]!.id}`)
      case 'team-add':
        return who.put(`${org}/teams/${this.team}/members`, { add: [people[call.user]!.id] })
      case 'team-remove':
        return who.put(`${org}/teams/${this.team}/members`, { remove: [people[call.user]!.id] })
      case 'join':
        return who.post(`${org}/join`)
      case 'accept': {
        const { items } = (await who.get('/v1/user/invitations')).body
        const own = items.find(
          (item: { organization: { id: string } }) => item.organization.id === this.id,
        )
        return own && who.post(`/v1/user/invitations/${own.id}`)
      }
      case 'invite':
        return who.post(`${org}/invites`, {
          emails: [`${people[call.user]!.id}@example.org`],
          role: call.role,
        })
    }
  }
}
