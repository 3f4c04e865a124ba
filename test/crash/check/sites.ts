import type { Database } from 'better-sqlite3'
import type { PromisedSite } from '../ledger.ts'
import type { Rows } from './rows.ts'

/** The facts about sites, as texts. */
export const readSiteFacts = (database: Database): { site_id: string; fact: string }[] =>
  database
    .prepare(
      `SELECT id AS site_id, 'published' AS fact FROM site WHERE published = 1
      UNION ALL SELECT site_id, 'space ' || space_id FROM site_space
      UNION ALL SELECT site_id, 'section ' || title FROM site_section
      UNION ALL SELECT site_id, 'link ' || name FROM share_link
      UNION ALL SELECT site_id, 'active ' || name FROM share_link WHERE active = 1
      UNION ALL SELECT site_id, 'key ' || key_version FROM site_visitor_auth`,
    )
    .all() as { site_id: string; fact: string }[]

/**
 * Queries for states of sites that no database may contain: each returns the violations.
 */
export const neverOfSites: [wrong: string, query: string][] = [
  [
    'a site has sections and spaces at its root',
    'SELECT id FROM site_space WHERE section_id IS NULL AND site_id IN (SELECT site_id FROM site_section)',
  ],
  [
    'the default section of a site is not on it, or there is none among its sections',
    `SELECT id FROM site WHERE EXISTS (SELECT 1 FROM site_section WHERE site_id = site.id)
      AND NOT EXISTS (SELECT 1 FROM site_section AS chosen WHERE site_id = site.id AND chosen.id = default_section_id)`,
  ],
  [
    'the default site space of a section is not in it, or there is none among its site spaces',
    `SELECT id FROM site_section WHERE EXISTS (SELECT 1 FROM site_space WHERE section_id = site_section.id)
      AND NOT EXISTS (SELECT 1 FROM site_space AS chosen
        WHERE section_id = site_section.id AND chosen.id = default_site_space_id)`,
  ],
  [
    'the default site space of a site is not at its root, or there is none among those there',
    `SELECT id FROM site WHERE EXISTS (SELECT 1 FROM site_space WHERE site_id = site.id AND section_id IS NULL)
      AND NOT EXISTS (SELECT 1 FROM site_space AS chosen
        WHERE site_id = site.id AND section_id IS NULL AND chosen.id = default_site_space_id)`,
  ],
  [
    'a site space is in a section of another site',
    `SELECT site_space.id FROM site_space JOIN site_section ON site_section.id = section_id
      WHERE site_section.site_id <> site_space.site_id`,
  ],
  [
    'a site or a share link does not have exactly one event',
    `SELECT id FROM site WHERE (SELECT count(*) FROM audit_event WHERE action = 'site.created' AND target_id = site.id) <> 1
      UNION ALL SELECT id FROM share_link WHERE (SELECT count(*) FROM audit_event
        WHERE action = 'share_link.created' AND details ->> 'shareLink' = share_link.id) <> 1`,
  ],
  [
    'a site contradicts its events',
    `SELECT id, published FROM site WHERE published <> (SELECT coalesce(sum(iif(action = 'site.published', 1, -1)), 0)
      FROM audit_event WHERE target_id = site.id AND action IN ('site.published', 'site.unpublished'))`,
  ],
  [
    'the version of a visitor key contradicts the events',
    `SELECT site_id, key_version FROM site_visitor_auth WHERE key_version <> 1 + (SELECT count(*) FROM audit_event
      WHERE target_id = site_id AND action = 'visitor_auth.key_regenerated')`,
  ],
]

/** Compares the facts in the rows with those promised of sites, and settles those in doubt. */
export function checkSites(rows: Rows, sites: readonly PromisedSite[]): string[] {
  const found: string[] = []
  for (const site of sites) {
    const named = rows.sites.filter(({ title }) => title === site.title)
    if (named.length > 1) found.push(`the site "${site.title}" was created ${named.length} times`)
    if (named.length === 0 && site.made === 'yes')
      found.push(`the promised site "${site.title}" does not exist`)
    if (named[0] && site.id === undefined) site.facts.set('key 1', 'yes')
    site.id = named[0]?.id
    site.made = named.length > 0 ? 'yes' : 'no'
    found.push(...checkFactsOf(rows, site).map(problem => `site ${site.id}: ${problem}`))
  }

  return found
}

function checkFactsOf(rows: Rows, site: PromisedSite): string[] {
  const found: string[] = []
  const counts = new Map<string, number>()
  for (const { site_id, fact } of rows.siteFacts)
    if (site_id === site.id) counts.set(fact, (counts.get(fact) ?? 0) + 1)
  const spaces = new Set(rows.spaces.map(({ id }) => `space ${id}`))

  for (const [fact, word] of site.facts) {
    const count = counts.get(fact) ?? 0
    // A purged space leaves its sites.
    const purged = fact.startsWith('space ') && !spaces.has(fact)
    if (count > 1) found.push(`"${fact}" is true ${count} times`)
    if (count === 0 && word === 'yes' && !purged)
      found.push(`"${fact}" was promised, but is not true`)
    if (count > 0 && word === 'no') found.push(`"${fact}" was refused or taken back, but is true`)
    site.facts.set(fact, count > 0 ? 'yes' : 'no')
  }

  // The spaces at the root of a site become a section with its title.
  for (const fact of counts.keys())
    if (!site.facts.has(fact) && fact !== `section ${site.title}`)
      found.push(`no client said "${fact}"`)

  return found
}
