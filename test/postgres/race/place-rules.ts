import { addSpace } from '../../../src/actions/spaces/create-space.ts'
import { createSpec, setSpecSource } from '../../../src/actions/specs/put-spec.ts'
import type { Context } from '../../../src/context.ts'
import { countSources } from '../../../src/store/openapi/sources.ts'
import { findSpec } from '../../../src/store/openapi/specs.ts'
import { findSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { findCollection } from '../../../src/store/spaces/collections.ts'
import { listSiblings } from '../../../src/store/spaces/siblings.ts'
import { insertSpace } from '../../../src/store/spaces/spaces.ts'
import { query } from '../../../src/store/store.ts'
import { mostSpacesPerDay, type RaceNode } from './nodes.ts'
import { at, atBoth, notOne, putCollection, putOrganization, type Rule } from './rule.ts'

const putSpace = ({ store }: Context, id: string, organizationId: string, userId: string) =>
  insertSpace(store, {
    id,
    organization_id: organizationId,
    title: 'Docs',
    position: 1,
    created_by: userId,
    created_at: at,
    updated_at: at,
  })

/** Returns the only site of an organization. */
const siteOf = ({ store }: Context, organizationId: string): string =>
  store.get(query.selectFrom('site').select('id').where('organization_id', '=', organizationId))!.id

const positionsInList: Rule = {
  name: 'two collections that are created at the end have two positions',
  keptBy: 'isolation',
  done: 'some',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const path = `POST /orgs/${id}/collections`
    return {
      works: [
        await here.operation(`ada-${id}`, path, { title: 'Here' }),
        await there.operation(`ada-${id}`, path, { title: 'There' }),
      ],
      broken: () => {
        const positions = listSiblings(here.store, id, null).map(({ position }) => position)
        return positions.length === 2 && new Set(positions).size === 2
          ? undefined
          : `the positions are ${positions}`
      },
    }
  },
}

const positionsAfterMoves: Rule = {
  name: 'collections that are moved to one place have different positions',
  keptBy: 'isolation',
  done: 'some',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const [first, second, third] = ['x', 'y', 'z'].map((name, at) => {
      putCollection(here, `${name}-${id}`, id, at + 1)
      return `${name}-${id}`
    })
    const body = { position: { before: { type: 'collection', collection: first } } }
    const positions = () => listSiblings(here.store, id, null).map(({ position }) => position)
    return {
      works: [
        await here.operation(`ada-${id}`, `POST /collections/${second}/move`, body),
        await there.operation(`ada-${id}`, `POST /collections/${third}/move`, body),
      ],
      broken: () => (new Set(positions()).size === 3 ? undefined : positions().join()),
    }
  },
}

const noCircle: Rule = {
  name: 'collections are not moved into each other',
  keptBy: 'isolation',
  done: 'one',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const [one, two] = [`one-${id}`, `two-${id}`]
    putCollection(here, one, id, 1)
    putCollection(here, two, id, 2)
    const parents = () => [one, two].map(each => findCollection(here.store, each)?.parent_id)
    return {
      works: [
        await here.operation(`ada-${id}`, `POST /collections/${one}/move`, { parent: two }),
        await there.operation(`ada-${id}`, `POST /collections/${two}/move`, { parent: one }),
      ],
      broken: () => (parents().includes(null) ? undefined : `the parents are ${parents()}`),
    }
  },
}

const oneOrganization: Rule = {
  name: 'a collection belongs to the organization of its parent',
  keptBy: 'isolation',
  done: 'some',
  prepare: async ([here, there], id) => {
    const other = `${id}b`
    putOrganization(here, id, { ada: 'admin' })
    putOrganization(here, other, {})
    const user = `ada-${id}`
    const member = { organization_id: other, user_id: user, joined_at: at }
    here.store.run(query.insertInto('member').values({ ...member, role: 'admin' }))
    const parent = `docs-${id}`
    putCollection(here, parent, id, 1)
    const organizations = () =>
      here.store
        .all(
          query
            .selectFrom('collection')
            .select('organization_id')
            .distinct()
            .where(({ or, eb }) => or([eb('id', '=', parent), eb('parent_id', '=', parent)])),
        )
        .map(row => row.organization_id)
    return {
      works: [
        await here.operation(user, `POST /orgs/${id}/collections`, { title: 'New', parent }),
        await there.operation(user, `POST /collections/${parent}/transfer`, {
          organization: other,
        }),
      ],
      broken: () =>
        organizations().length === 1 ? undefined : `the organizations are ${organizations()}`,
    }
  },
}

const defaultSiteSpace: Rule = {
  name: 'the default of a site is one of its spaces',
  keptBy: 'isolation',
  contended: 'site',
  done: 'some',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const user = `ada-${id}`
    const spaces = ['x', 'y', 'z'].map(name => putSpace(here, `${name}-${id}`, id, user).id)
    const make = await here.operation(user, `POST /orgs/${id}/sites`, { title: 'Docs', spaces })
    await make()
    const site = siteOf(here, id)
    const { siteSpaces } = readStructure(here.store, site)
    const remove = (ctx: RaceNode, at: number) =>
      ctx.operation(user, `DELETE /orgs/${id}/sites/${site}/site-spaces/${siteSpaces[at]!.id}`)
    return {
      works: [await remove(here, 0), await remove(there, 1)],
      broken: () => {
        const left = readStructure(here.store, site).siteSpaces.map(row => row.id)
        const named = findSite(here.store, site)?.default_site_space_id
        return named && left.includes(named) ? undefined : `the default is ${named} of ${left}`
      },
    }
  },
}

const addressOfSite: Rule = {
  name: 'two sites with one title have two addresses',
  keptBy: 'statement',
  done: 'some',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const path = `POST /orgs/${id}/sites`
    const names = () =>
      here.store
        .all(query.selectFrom('site').select('basename').where('organization_id', '=', id))
        .map(row => row.basename)
    return {
      works: [
        await here.operation(`ada-${id}`, path, { title: 'Docs' }),
        await there.operation(`ada-${id}`, path, { title: 'Docs' }),
      ],
      broken: () => (new Set(names()).size === names().length ? undefined : names().join()),
    }
  },
}

const sourceOfRedirect: Rule = {
  name: 'a path of a site is redirected once',
  keptBy: 'statement',
  done: 'one',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const user = `ada-${id}`
    const make = await here.operation(user, `POST /orgs/${id}/sites`, { title: 'Docs' })
    await make()
    const site = siteOf(here, id)
    const path = `POST /orgs/${id}/sites/${site}/redirects`
    const body = (source: string) => ({
      source,
      destination: { kind: 'external', url: 'https://example.org/' },
    })
    return {
      works: [
        await here.operation(user, path, body('/old')),
        await there.operation(user, path, body('/OLD')),
      ],
      broken: notOne(here, 'site_redirect', 'site_id', site),
    }
  },
}

const slugOfSpec: Rule = {
  name: 'a slug is that of one OpenAPI spec',
  keptBy: 'statement',
  done: 'one',
  prepare: async ([here, there], id) => {
    putOrganization(here, id, { ada: 'admin' })
    const path = `POST /orgs/${id}/openapi`
    const body = { slug: 'pets', source: { text: '{}' } }
    return {
      works: [
        await here.operation(`ada-${id}`, path, body),
        await there.operation(`ada-${id}`, path, body),
      ],
      broken: notOne(here, 'openapi_spec', 'organization_id', id),
    }
  },
}

const sourcesOfSpec: Rule = {
  name: 'at most ten sources of a spec wait',
  isInner: true,
  keptBy: 'isolation',
  done: 'one',
  prepare: async (nodes, id) => {
    const [here] = nodes
    putOrganization(here, id, { ada: 'admin' })
    const by = { userId: `ada-${id}`, origin: null }
    const source = { url: null, packed: Buffer.from('{}') }
    const spec = here.store.transact(() => {
      const made = createSpec(here, { organizationId: id, slug: 'pets' }, source, by)
      for (let count = 1; count < 9; count++) setSpecSource(here, made, source, by)
      return made
    })
    const count = () => countSources(here.store, spec.id)
    return {
      works: atBoth(nodes, ctx =>
        ctx.store.transact(() => setSpecSource(ctx, findSpec(ctx.store, spec.id)!, source, by)),
      ),
      broken: () => (count() === 10 ? undefined : `${count()} sources wait`),
    }
  },
}

const spacesPerDay: Rule = {
  name: 'nobody creates more spaces than a day allows',
  isInner: true,
  keptBy: 'isolation',
  done: 'one',
  prepare: async (nodes, id) => {
    const [here] = nodes
    putOrganization(here, id, { ada: 'admin' })
    const user = `ada-${id}`
    const add = (ctx: Context, name: string) =>
      ctx.store.transact(() => {
        const time = ctx.now().toISOString()
        const made = { created_by: user, created_at: time, updated_at: time }
        addSpace(ctx, { id: `${name}-${id}`, organization_id: id, title: 'Docs', ...made })
      })
    for (let count = 1; count < mostSpacesPerDay; count++) add(here, `space-${count}`)
    const count = () => listSiblings(here.store, id, null).length
    return {
      works: atBoth(nodes, (ctx, node) => add(ctx, `last-${node}`)),
      broken: () => (count() === mostSpacesPerDay ? undefined : `${count()} spaces`),
    }
  },
}

export const placeRules: readonly Rule[] = [
  positionsInList,
  positionsAfterMoves,
  noCircle,
  oneOrganization,
  defaultSiteSpace,
  addressOfSite,
  sourceOfRedirect,
  slugOfSpec,
  sourcesOfSpec,
  spacesPerDay,
]
