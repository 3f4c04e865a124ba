import { digestId } from '../lib/digest.ts'

/** The exceptions of a revision: keys whose id is not the one they would be born with. */
export type Identity = ReadonlyMap<string, string>

/**
 * The id that a key is born with: 20 base62 characters. A key is a file's path, or for a page without a file
 * `#`, its kind, `:` and its place in the tree, such as `#page:guides/old`, `#group:reference`, `#link:guides/status`.
 */
export const defaultId = (spaceId: string, key: string): string => digestId(spaceId, key)

/** The id of a key in a revision with these exceptions. */
export const idOf = (spaceId: string, identity: Identity, key: string): string =>
  identity.get(key) ?? defaultId(spaceId, key)
