import fc from 'fast-check'
import { SignJWT } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { siteBase } from '../../../src/actions/sites/addresses.ts'
import { resolveAddress } from '../../../src/actions/sites/resolve-address.ts'
import { viewSite } from '../../../src/actions/sites/view-site.ts'
import { newVisitorKey } from '../../../src/actions/sites/visitor-key.ts'
import { randomId } from '../../../src/lib/digest.ts'
import { findOrganization } from '../../../src/store/people/organizations.ts'
import { insertSection } from '../../../src/store/sites/sections.ts'
import { insertShareLink } from '../../../src/store/sites/share-links.ts'
import { insertSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { insertSite } from '../../../src/store/sites/sites.ts'
import { insertVisitorAuth } from '../../../src/store/sites/visitor-auth.ts'
import type { OrganizationRow, SiteRow } from '../../../src/store/tables/rows.ts'
import { startApp } from '../../support/app.ts'
import { runs } from '../../support/long-run.ts'

const app = await startApp()
test.after(() => app.stop())
const { ctx } = app
const at = '2026-01-01T00:00:00.000Z'

const spaces: string[] = []
for (let n = 0; n < 8; n++)
  spaces.push((await app.admin.post('/v1/orgs/acme/spaces', { title: `Space ${n}` })).body.id)

const segment = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,6}[a-z0-9]$/)
const paths = (most: number) => fc.uniqueArray(segment, { minLength: 1, maxLength: most })

/**
 * Sections with the paths of their site spaces; one list without sections: a site with site spaces
 * at its root.
 */
const structure = fc.record({
  sections: fc.array(paths(3), { minLength: 1, maxLength: 3 }),
  paths: fc.uniqueArray(segment, { minLength: 3, maxLength: 3 }),
  atRoot: fc.boolean(),
  chosen: fc.nat(2),
  visibility: fc.constantFrom('public', 'unlisted', 'share-link', 'visitor-auth'),
  base: fc.constantFrom('basename', 'hostname', 'proxy'),
  page: fc.array(fc.constantFrom('guide', 'Über uns', 'a b', '100%', 'x.y'), { maxLength: 2 }),
})
type Drawn = typeof structure extends fc.Arbitrary<infer Value> ? Value : never

function build({ sections, paths, atRoot, chosen, visibility, base }: Drawn) {
  const id = randomId()
  const key = randomId()
  const secret = newVisitorKey(ctx)
  const name = id.toLowerCase()
  const lists = atRoot ? sections.slice(0, 1) : sections
  const site = ctx.store.transact(() => {
    let used = 0
    const row = insertSite(ctx.store, {
      id,
      organization_id: 'acme',
      title: 'Site',
      basename: name,
      published: 1,
      visibility,
      ...(base === 'hostname' && { hostname: `${name}.docs.example.org` }),
      ...(base === 'proxy' && { proxy_origin: `${name}.example.org/docs/help` }),
      ...(!atRoot && { default_section_id: `${id}-${chosen % lists.length}` }),
      created_at: at,
      updated_at: at,
    })

    insertVisitorAuth(ctx.store, { site_id: id, key_sealed: secret, updated_at: at })
    insertShareLink(ctx.store, key, {
      id: randomId(),
      site_id: id,
      name: '',
      key_sealed: ctx.keys.seal('share link', key),
      created_by: null,
      created_at: at,
    })

    for (const [index, siteSpaces] of lists.entries()) {
      const sectionId = atRoot ? null : `${id}-${index}`
      const path = paths[index] as string
      if (sectionId !== null)
        insertSection(ctx.store, {
          id: sectionId,
          site_id: id,
          title: path,
          path,
          position: index,
          created_at: at,
        })

      for (const [position, path] of siteSpaces.entries()) {
        const space_id = spaces[used++ % spaces.length] as string
        if (used > spaces.length) break
        insertSiteSpace(ctx.store, {
          id: randomId(),
          site_id: id,
          section_id: sectionId,
          space_id,
          path,
          position,
          created_at: at,
        })
      }
    }

    return row
  })

  return { site, key, secret: ctx.keys.open('visitor key', secret) }
}

test('every published address of a section, site space or page leads to it', async () => {
  await fc.assert(
    fc.asyncProperty(structure, async drawn => {
      const { site, key, secret } = build(drawn)
      const base = siteBase(
        ctx,
        site as SiteRow,
        findOrganization(ctx.store, 'acme') as OrganizationRow,
      )
      const below = drawn.visibility === 'share-link' ? `${base}${key}/` : base
      const jwtToken = await new SignJWT({})
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(secret))
      const page = drawn.page.map(encodeURIComponent).join('/')
      const view = viewSite(ctx, site, { sees: () => true, seesEmpty: false })
      const resolve = async (url: string) => {
        const found = await resolveAddress(ctx, { url, visitor: { jwtToken } })
        if (found.kind !== 'content') throw new Error(`${url} leads to ${found.redirect}`)
        return found
      }

      for (const { row, path } of view.sections)
        assert.is((await resolve(below + path)).siteSpace.section?.id, row.id)
      assert.ok(view.siteSpaces.length > 0)

      for (const { row, path } of view.siteSpaces) {
        const found = await resolve(below + path + page)
        assert.equal(
          [found.siteSpace.row.id, found.pathname, found.canonicalUrl, found.basePath],
          [row.id, drawn.page.join('/'), below + path + page, new URL(below + path).pathname],
        )
      }
    }),
    { numRuns: runs(120) },
  )
})

test.run()
