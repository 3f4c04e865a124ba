import type { Steps } from '../../lib/slices.ts'
import { foldSlug, slugOfTitle, uniqueSlug } from '../text/slug.ts'
import type { PagePlace } from './addresses.ts'

/**
 * A page in its place, with the offset of its entry in the source, -1 in an inferred tree. `name`
 * is what an entry without an address is told from others by.
 */
export type MadePage = { place: PagePlace; name?: string; start?: number | undefined }

type Scope = { taken: Set<string>; next: Map<string, number> }

/** Sets the keys of pages without a file, which follow from their addresses. */
export function* keySteps(made: readonly MadePage[]): Steps<void> {
  const scopes = new Map<string, Scope>()
  for (const [at, { place, name = '' }] of made.entries()) {
    const { node, above } = place
    if (at % 2048 === 2047) yield
    if (node.key !== '') continue
    if (node.type === 'group') node.key = `#group:${node.slug}`
    else if (node.type === 'document') node.key = `#page:${node.path}`
    else node.key = keyOfEntry(scopes, `#${node.type}:${above ? `${above.node.path}/` : ''}`, name)
  }
}

/** Returns the key of an entry without an address; a scope per kind and place keeps it unique. */
function keyOfEntry(scopes: Map<string, Scope>, place: string, name: string): string {
  const scope = scopes.get(place) ?? { taken: new Set(), next: new Map() }
  const slug = uniqueSlug(slugOfTitle(name), scope.taken, scope.next)
  scope.taken.add(foldSlug(slug))
  scopes.set(place, scope)
  return place + slug
}
