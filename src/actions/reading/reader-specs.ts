import { slugOfEntry } from '../../content/openapi/page.ts'
import { openapiEntries } from '../../content/openapi/pages.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { readLinkFacts } from '../links/read-link-facts.ts'
import { specsNamedOn } from '../specs/resolve-blocks.ts'
import type { Audience } from './audience.ts'
import { type Original, readerContent } from './reader-content.ts'
import { usedSpecs } from './reader-files.ts'

/**
 * Returns whether the content that readers with these claims are shown names an OpenAPI spec: in a
 * block of a page or of reusable content that the pages use, or in the table of contents.
 * `original` is without computed pages. Only content that names the spec as written is evaluated.
 */
export async function isSpecNamed(
  ctx: Context,
  original: Original,
  audience: Audience,
  slug: string,
): Promise<boolean> {
  const folded = slug.toLowerCase()
  if (!(await writtenSpecs(ctx, original)).has(folded)) return false
  const shown = await readerContent(ctx, original, audience, { files: false })
  if (await isOnPlainPage(ctx, original, shown.content, folded)) return true
  const { content } = await readerContent(ctx, original, audience, { files: true })
  return usedSpecs(content).has(folded)
}

/** Returns whether a page whose text is the same for every reader names a spec. */
async function isOnPlainPage(
  ctx: Context,
  { repo }: Original,
  { pageById }: ContentTree,
  folded: string,
): Promise<boolean> {
  const pages = [...pageById.values()].filter(
    ({ file, facts }) => file && facts?.varies === undefined,
  )
  for (let at = 0; at < pages.length; at += batch) {
    const some = pages.slice(at, at + batch)
    const { facts } = await readLinkFacts(
      ctx,
      repo,
      some.map(({ file }) => file!.oid),
    )

    for (const page of some) {
      const { links = [] } = facts.get(page.file!.oid) ?? {}
      if (!links.some(({ how, target }) => how === 'spec' && target.toLowerCase() === folded))
        continue
      const { slugs } = await specsNamedOn(ctx, repo, page)
      if (slugs.some(slug => slug.toLowerCase() === folded)) return true
    }
  }

  return false
}

/** The slugs that the files of trees name, shown or not, in lower case. */
const written = new WeakMap<ContentTree, ReadonlySet<string>>()

/** How many files are looked up together. */
const batch = 500

async function writtenSpecs(
  ctx: Context,
  { repo, shown: { content } }: Original,
): Promise<ReadonlySet<string>> {
  const known = written.get(content)
  if (known) return known
  const slugs = new Set(
    openapiEntries(content).flatMap(entry => slugOfEntry(entry)?.toLowerCase() ?? []),
  )
  const files = [...content.pageByFile.values()].flatMap(({ file }) => file?.oid ?? [])
  const oids = [...new Set([...files, ...content.includes.map(({ oid }) => oid)])]
  let isWhole = true

  for (let at = 0; at < oids.length; at += batch) {
    const { facts, whole } = await readLinkFacts(ctx, repo, oids.slice(at, at + batch))
    isWhole &&= whole
    for (const { links } of facts.values())
      for (const { how, target } of links) if (how === 'spec') slugs.add(target.toLowerCase())
  }

  if (isWhole) written.set(content, slugs)

  return slugs
}
